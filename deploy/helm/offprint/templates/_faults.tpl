{{/*
What is wrong with values that are sound one by one, a line each; empty when nothing is. The schema has refused
unknown fields and wrong types by then.
*/}}
{{- define "offprint.faults" -}}
{{- if .Values.staticExport.enabled -}}
{{- include "offprint.sourceFaults" .Values.staticExport -}}
{{- include "offprint.siteFaults" . -}}
{{- end -}}
{{- if .Values.platform.enabled -}}
{{- include "offprint.platformFaults" (dict "platform" .Values.platform "own" (include "offprint.platformSettings" . | fromYaml | keys)) -}}
{{- end -}}
{{- end -}}

{{- define "offprint.sourceFaults" -}}
{{- $sources := list -}}
{{- if .bundleUrl }}{{ $sources = append $sources "staticExport.bundleUrl" }}{{ end -}}
{{- if .existingSecret }}{{ $sources = append $sources "staticExport.existingSecret" }}{{ end -}}
{{- if .pull.enabled }}{{ $sources = append $sources "staticExport.pull.enabled" }}{{ end -}}
{{- if .volume.existingClaim }}{{ $sources = append $sources "staticExport.volume.existingClaim" }}{{ end -}}
{{- if not $sources }}
- staticExport.enabled is true, but no source is named: set one of staticExport.bundleUrl, staticExport.existingSecret, staticExport.pull.enabled and staticExport.volume.existingClaim
{{- else if gt (len $sources) 1 }}
- {{ join ", " $sources }} are set together: there is one source of a site, so unset all but one
{{- end -}}
{{- if and .bundleUrl (not (regexMatch "^https?://[^/]" .bundleUrl)) }}
- staticExport.bundleUrl must be an http or https URL
{{- end -}}
{{- if .pull.enabled -}}
{{- range list "url" "domain" "existingSecret" -}}
{{- if not (get $.pull .) }}
- staticExport.pull.{{ . }} is missing; staticExport.pull.enabled is true
{{- end -}}
{{- end -}}
{{- if .sha256 }}
- staticExport.sha256 is set with staticExport.pull.enabled: pull follows new exports; pin with staticExport.version, or give the link
{{- end -}}
{{- end -}}
{{- if and .volume.path (not .volume.existingClaim) }}
- staticExport.volume.path is set without staticExport.volume.existingClaim
{{- end -}}
{{- end -}}

{{- define "offprint.siteFaults" -}}
{{- with .Values.site -}}
{{- if and .ingress.enabled (not .ingress.hosts) }}
- site.ingress.hosts is empty; site.ingress.enabled is true
{{- end -}}
{{- if and .httpRoute.enabled (not .httpRoute.parentRefs) }}
- site.httpRoute.parentRefs is empty; site.httpRoute.enabled is true
{{- end -}}
{{- if and .metrics.serviceMonitor.enabled .networkPolicy.enabled (not .networkPolicy.managementFrom) }}
- site.networkPolicy.managementFrom is empty; site.metrics.serviceMonitor.enabled is true, and Prometheus could not reach the pods
{{- end -}}
{{- include "offprint.autoscalingFaults" (dict "name" "site" "autoscaling" .autoscaling) -}}
{{- include "offprint.envFaults" (dict "name" "site.pod.extraEnv" "env" .pod.extraEnv "own" (include "offprint.siteSettings" $ | fromYaml | keys)) -}}
{{- end -}}
{{- end -}}

{{/* Takes platform (the values) and own (names of the settings that the chart makes). */}}
{{- define "offprint.platformFaults" -}}
{{- $own := .own -}}
{{- with .platform -}}
{{- $needed := dict
  "publicUrl" .publicUrl
  "secret.existingSecret" .secret.existingSecret
  "database.existingSecret" .database.existingSecret
  "s3.bucket" .s3.bucket
-}}
{{- range $name, $value := $needed -}}
{{- if not $value }}
- platform.{{ $name }} is missing; platform.enabled is true
{{- end -}}
{{- end -}}
{{- if not (or .s3.region .s3.endpoint) }}
- platform.s3.region is missing; it may be with platform.s3.endpoint only
{{- end -}}
{{- if and .metrics.serviceMonitor.enabled .networkPolicy.enabled (not .networkPolicy.metricsFrom) }}
- platform.networkPolicy.metricsFrom is empty; platform.metrics.serviceMonitor.enabled is true, and Prometheus could not reach the pods
{{- end -}}
{{- range $name, $value := .settings -}}
{{- if has $name $own }}
- platform.settings.{{ $name }} is set by another field of the chart
{{- end -}}
{{- end -}}
{{- range $name, $role := dict "platform.api" .api "platform.worker" .worker -}}
{{- include "offprint.autoscalingFaults" (dict "name" $name "autoscaling" $role.autoscaling) -}}
{{- include "offprint.envFaults" (dict "name" (printf "%s.pod.extraEnv" $name) "env" $role.pod.extraEnv "own" $own) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "offprint.autoscalingFaults" -}}
{{- if and .autoscaling.enabled (gt (int .autoscaling.minReplicas) (int .autoscaling.maxReplicas)) }}
- {{ .name }}.autoscaling.minReplicas is more than {{ .name }}.autoscaling.maxReplicas
{{- end -}}
{{- end -}}

{{/* Variables that the chart sets itself must not be set again: which one counts would be chance. */}}
{{- define "offprint.envFaults" -}}
{{- range .env -}}
{{- if has .name $.own }}
- {{ $.name }}: {{ .name }} is set by another field of the chart
{{- end -}}
{{- end -}}
{{- end -}}
