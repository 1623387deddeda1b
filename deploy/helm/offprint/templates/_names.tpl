{{/* Names, labels and images. */}}

{{- define "offprint.name" -}}
{{- default .Chart.Name .Values.nameOverride -}}
{{- end -}}

{{/* At most 40 characters, because the chart and, for pods of a StatefulSet, Kubernetes append text, and the limit is 63. */}}
{{- define "offprint.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains (include "offprint.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "offprint.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods of a component; they never change. Takes root and component. */}}
{{- define "offprint.selector" -}}
app.kubernetes.io/name: {{ include "offprint.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Metadata of an object. Takes root, component, name, and optionally annotations. */}}
{{- define "offprint.metadata" -}}
{{- $labels := include "offprint.selector" . | fromYaml -}}
{{- $about := dict
  "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/version" .root.Chart.AppVersion
  "app.kubernetes.io/managed-by" .root.Release.Service
-}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- toYaml (merge $labels $about (default (dict) .root.Values.labels)) | nindent 2 }}
{{- with merge (dict) (default (dict) .annotations) (default (dict) .root.Values.annotations) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Image reference. Takes root and image. */}}
{{- define "offprint.image" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" .image.repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" .image.repository (default .root.Chart.AppVersion .image.tag) -}}
{{- end -}}
{{- end -}}

{{/* IP address that processes listen on. The IPv6 one also accepts IPv4 connections. */}}
{{- define "offprint.listen" -}}
{{- if has "IPv6" .Values.network.ipFamilies -}}
{{- "::" -}}
{{- else -}}
{{- "0.0.0.0" -}}
{{- end -}}
{{- end -}}

{{/* Name of a service account. Takes account (the values) and name (used if the chart creates it). */}}
{{- define "offprint.serviceAccountName" -}}
{{- default (ternary .name "default" .account.create) .account.name -}}
{{- end -}}

{{/* Port of a URL. */}}
{{- define "offprint.urlPort" -}}
{{- $url := urlParse . -}}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- default (ternary "443" "80" (eq $url.scheme "https")) $port -}}
{{- end -}}

{{/* Host of a URL. */}}
{{- define "offprint.urlHost" -}}
{{- $url := urlParse . -}}
{{- regexReplaceAll ":[0-9]+$" $url.host "" -}}
{{- end -}}
