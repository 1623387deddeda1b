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
{{- include "offprint.serviceFaults" (dict "name" "site.service" "service" .service) -}}
{{- $own := include "offprint.siteSettings" $ | fromYaml | keys -}}
{{- $fields := include "offprint.siteVariables" $ | fromYaml -}}
{{- $volumes := list "tmp" "releases" "source" "bundles" "token" "certificate-authority" -}}
{{- $mounts := list "/tmp" "/var/lib/offprint-site" "/etc/offprint/source" "/bundles" "/etc/offprint/token" "/etc/offprint/certificate-authority" -}}
{{- include "offprint.podFaults" (dict "name" "site.pod" "pod" .pod "own" $own "fields" $fields "volumes" $volumes "mounts" $mounts "ports" (list "http" "management") "container" "site") -}}
{{- end -}}
{{- end -}}

{{/* Takes platform (the values) and own (names of the settings that the chart makes). */}}
{{- define "offprint.platformFaults" -}}
{{- $own := .own -}}
{{- $fields := include "offprint.platformVariables" . | fromYaml -}}
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
{{- if and .httpRoute.enabled (not .httpRoute.parentRefs) }}
- platform.httpRoute.parentRefs is empty; platform.httpRoute.enabled is true
{{- end -}}
{{- include "offprint.serviceFaults" (dict "name" "platform.service" "service" .service) -}}
{{- range $name, $value := .settings -}}
{{- include "offprint.variableFaults" (dict "place" "platform.settings." "name" $name "own" $own "fields" $fields) -}}
{{- end -}}
{{- range $name, $role := dict "platform.api" .api "platform.worker" .worker -}}
{{- include "offprint.autoscalingFaults" (dict "name" $name "autoscaling" $role.autoscaling) -}}
{{- $volumes := list "work" "tmp" "secrets" "certificate-authority" -}}
{{- $mounts := list "/var/lib/offprint" "/tmp" "/etc/offprint/secrets" "/etc/offprint/certificate-authority" -}}
{{- include "offprint.podFaults" (dict "name" (printf "%s.pod" $name) "pod" $role.pod "own" $own "fields" $fields "volumes" $volumes "mounts" $mounts "ports" (list "http" "metrics") "container" (trimPrefix "platform." $name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "offprint.autoscalingFaults" -}}
{{- with .autoscaling -}}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
- {{ $.name }}.autoscaling.minReplicas is more than {{ $.name }}.autoscaling.maxReplicas
{{- end -}}
{{- if and .enabled (not .cpuUtilization) (not .memoryUtilization) }}
- {{ $.name }}.autoscaling.cpuUtilization and {{ $.name }}.autoscaling.memoryUtilization are both 0: nothing would count
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Fields that Kubernetes refuses, or drops without a word, with another type of service. */}}
{{- define "offprint.serviceFaults" -}}
{{- $name := .name -}}
{{- with .service -}}
{{- $type := .type -}}
{{- range $field, $value := dict "nodePort" .nodePort "externalTrafficPolicy" .externalTrafficPolicy -}}
{{- if and $value (eq $type "ClusterIP") }}
- {{ $name }}.{{ $field }} goes with the type NodePort or LoadBalancer only; {{ $name }}.type is {{ $type }}
{{- end -}}
{{- end -}}
{{- range $field, $value := dict "loadBalancerClass" .loadBalancerClass "loadBalancerSourceRanges" .loadBalancerSourceRanges -}}
{{- if and $value (ne $type "LoadBalancer") }}
- {{ $name }}.{{ $field }} goes with the type LoadBalancer only; {{ $name }}.type is {{ $type }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Takes name (of the values), pod (the values), own and fields (as variableFaults takes them), and what the chart has in
any case: volumes (names), mounts (paths), ports (names) and container (its name).
*/}}
{{- define "offprint.podFaults" -}}
{{- range .pod.extraEnv -}}
{{- include "offprint.variableFaults" (dict "place" (printf "%s.extraEnv: " $.name) "name" .name "own" $.own "fields" $.fields) -}}
{{- end -}}
{{- range .pod.extraVolumes -}}
{{- if has .name $.volumes }}
- {{ $.name }}.extraVolumes: {{ .name }} is the name of a volume of the chart
{{- end -}}
{{- end -}}
{{- $volumes := .volumes -}}
{{- $named := list -}}
{{- range .pod.extraVolumes -}}
{{- if has .name $named }}
- {{ $.name }}.extraVolumes: {{ .name }} is the name of two volumes
{{- end -}}
{{- $named = append $named .name -}}
{{- $volumes = append $volumes .name -}}
{{- end -}}
{{- $mounted := list -}}
{{- range .pod.extraVolumeMounts -}}
{{- $path := clean .mountPath -}}
{{- if has $path $.mounts }}
- {{ $.name }}.extraVolumeMounts: {{ $path }} is where the chart mounts a volume
{{- else if has $path $mounted }}
- {{ $.name }}.extraVolumeMounts: {{ $path }} is mounted twice
{{- end -}}
{{- $mounted = append $mounted $path -}}
{{- if not (has .name $volumes) }}
- {{ $.name }}.extraVolumes has no {{ .name }}, which {{ $.name }}.extraVolumeMounts names
{{- end -}}
{{- end -}}
{{- $sidecars := list -}}
{{- range .pod.sidecars -}}
{{- $sidecar := .name -}}
{{- if eq .name $.container }}
- {{ $.name }}.sidecars: {{ .name }} is the name of the container of the chart
{{- else if has .name $sidecars }}
- {{ $.name }}.sidecars: {{ .name }} is the name of two containers
{{- end -}}
{{- $sidecars = append $sidecars .name -}}
{{- include "offprint.hostFaults" (dict "name" $.name "sidecar" .) -}}
{{- if .securityContext }}
- {{ $.name }}.sidecars: {{ .name }} has a securityContext; the chart sets it
{{- end -}}
{{- range .ports -}}
{{- if .hostPort }}
- {{ $.name }}.sidecars: a port of the host (hostPort) is not allowed
{{- end -}}
{{- if has (default "" .name) $.ports }}
- {{ $.name }}.sidecars: {{ $sidecar }} has a port named {{ .name }}, as the container of the chart, which services ask for
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Probes and hooks of other hosts, which the restricted standard forbids. Takes name (of the values) and sidecar. */}}
{{- define "offprint.hostFaults" -}}
{{- $hooks := default (dict) .sidecar.lifecycle -}}
{{- $asked := dict
  "startupProbe" .sidecar.startupProbe
  "livenessProbe" .sidecar.livenessProbe
  "readinessProbe" .sidecar.readinessProbe
  "lifecycle.postStart" $hooks.postStart
  "lifecycle.preStop" $hooks.preStop
-}}
{{- range $place, $one := $asked -}}
{{- range $way := list "httpGet" "tcpSocket" -}}
{{- with get (default (dict) $one) $way -}}
{{- if .host }}
- {{ $.name }}.sidecars: {{ $.sidecar.name }} has a host in {{ $place }}.{{ $way }}; a pod asks itself only
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Variables of the chart must not be set again: which one counts would be chance, or the program refuses both. Takes place,
name, own (names of those that are set) and fields (of the chart, by variable).
*/}}
{{- define "offprint.variableFaults" -}}
{{- $base := trimSuffix "_FILE" .name -}}
{{- $field := default (get .fields .name) (get .fields $base) -}}
{{- if or $field (has .name .own) (has $base .own) (has (printf "%s_FILE" .name) .own) }}
- {{ .place }}{{ .name }} is set by another field of the chart{{ with $field }}: {{ . }}{{ end }}
{{- end -}}
{{- end -}}

{{/* Fields of the variables that are not always set. */}}
{{- define "offprint.siteVariables" -}}
OFFPRINT_SITE_BUNDLE_URL: staticExport.bundleUrl
OFFPRINT_SITE_BUNDLE: staticExport.volume
OFFPRINT_URL: staticExport.pull
OFFPRINT_API_KEY: staticExport.pull
OFFPRINT_SITE_VERSION: staticExport.version
OFFPRINT_SITE_BUNDLE_SHA256: staticExport.sha256
OFFPRINT_SITE_BASE_PATH: site.basePath
OFFPRINT_SITE_TOKEN: site.management
OFFPRINT_CA_FILE: certificateAuthority.existingConfigMap
{{- end -}}

{{- define "offprint.platformVariables" -}}
OFFPRINT_CA_FILE: certificateAuthority.existingConfigMap
OFFPRINT_PREVIEW_URL: platform.previewUrl
OFFPRINT_TRUSTED_PROXIES: platform.trustedProxies
OFFPRINT_S3_REGION: platform.s3.region
OFFPRINT_S3_ENDPOINT: platform.s3.endpoint
OFFPRINT_S3_PUBLIC_ENDPOINT: platform.s3.publicEndpoint
OFFPRINT_S3_PREFIX: platform.s3.prefix
OFFPRINT_S3_FORCE_PATH_STYLE: platform.s3.forcePathStyle
OFFPRINT_S3_CHECKSUMS: platform.s3.checksums
OFFPRINT_S3_ACCESS_KEY_ID: platform.s3.existingSecret
OFFPRINT_S3_SECRET_ACCESS_KEY: platform.s3.existingSecret
OFFPRINT_OPERATOR_EMAIL: platform.operator.email
OFFPRINT_OPERATOR_PASSWORD: platform.operator.existingSecret
{{- end -}}
