{{/*
Errors in the combination of values, one per line; empty if the values are valid. Helm rejects unknown fields and wrong
types with values.schema.json before it renders this template.
*/}}
{{- define "offprint.validate" -}}
{{- if .Values.staticExport.enabled -}}
{{- include "offprint.validateSource" .Values.staticExport -}}
{{- include "offprint.validateSite" . -}}
{{- end -}}
{{- if .Values.platform.enabled -}}
{{- include "offprint.validatePlatform" (dict "platform" .Values.platform "security" .Values.security "own" (include "offprint.platformSettings" . | fromYaml | keys) "ofRenderer" (include "offprint.rendererSettings" . | fromYaml | keys)) -}}
{{- end -}}
{{- end -}}

{{- define "offprint.validateSource" -}}
{{- $sources := list -}}
{{- if .bundleUrl }}{{ $sources = append $sources "staticExport.bundleUrl" }}{{ end -}}
{{- if .existingSecret }}{{ $sources = append $sources "staticExport.existingSecret" }}{{ end -}}
{{- if .pull.enabled }}{{ $sources = append $sources "staticExport.pull.enabled" }}{{ end -}}
{{- if .volume.existingClaim }}{{ $sources = append $sources "staticExport.volume.existingClaim" }}{{ end -}}
{{- if .hosting.enabled }}{{ $sources = append $sources "staticExport.hosting.enabled" }}{{ end -}}
{{- if not $sources }}
- staticExport.enabled is true, but no source is set. Set one of staticExport.bundleUrl, staticExport.existingSecret, staticExport.pull.enabled, staticExport.volume.existingClaim or staticExport.hosting.enabled
{{- else if gt (len $sources) 1 }}
- {{ join ", " $sources }} are set together. Set only one source
{{- end -}}
{{- if and .bundleUrl (not (regexMatch "^https?://[^/]" .bundleUrl)) }}
- staticExport.bundleUrl must be an http or https URL
{{- end -}}
{{- if .pull.enabled -}}
{{- range list "url" "domain" "existingSecret" -}}
{{- if not (get $.pull .) }}
- staticExport.pull.{{ . }} is missing. It is required if staticExport.pull.enabled is true
{{- end -}}
{{- end -}}
{{- if .sha256 }}
- staticExport.sha256 is set together with staticExport.pull.enabled, which follows new exports. Use staticExport.version to select a version, or a link instead of pull
{{- end -}}
{{- end -}}
{{- if .hosting.enabled -}}
{{- range list "url" "existingSecret" -}}
{{- if not (get $.hosting .) }}
- staticExport.hosting.{{ . }} is missing. It is required if staticExport.hosting.enabled is true
{{- end -}}
{{- end -}}
{{- range list "version" "sha256" -}}
{{- if get $ . }}
- staticExport.{{ . }} is set together with staticExport.hosting.enabled, with which the platform names the release of each site. Unset it
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .volume.path (not .volume.existingClaim) }}
- staticExport.volume.path is set without staticExport.volume.existingClaim. Set both, or unset staticExport.volume.path
{{- end -}}
{{- end -}}

{{- define "offprint.validateSite" -}}
{{- $isHosting := .Values.staticExport.hosting.enabled -}}
{{- with .Values.site -}}
{{- if and .basePath $isHosting }}
- site.basePath is set together with staticExport.hosting.enabled, with which each project has its own base path. Unset it
{{- end -}}
{{- if and .tls.enabled (not $isHosting) }}
- site.tls.enabled requires staticExport.hosting.enabled: a server of one site has no certificates. Use an Ingress, an HTTPRoute or a Route
{{- end -}}
{{- if and .tls.enabled .https }}
- site.tls.enabled and site.https are both true. Set site.https only if a proxy serves https instead
{{- end -}}
{{- if and .tls.existingSecret (not .tls.enabled) }}
- site.tls.existingSecret is set without site.tls.enabled. Set both, or unset site.tls.existingSecret
{{- end -}}
{{- if and .trustedProxies (not $isHosting) }}
- site.trustedProxies requires staticExport.hosting.enabled: a server of one site does not read X-Forwarded-For
{{- end -}}
{{- if and .tls.nodePort (eq .service.type "ClusterIP") }}
- site.tls.nodePort requires the type NodePort or LoadBalancer, but site.service.type is ClusterIP
{{- end -}}
{{- if and .ingress.enabled (not .ingress.hosts) }}
- site.ingress.hosts is empty. It is required if site.ingress.enabled is true
{{- end -}}
{{- if and .httpRoute.enabled (not .httpRoute.parentRefs) }}
- site.httpRoute.parentRefs is empty. It is required if site.httpRoute.enabled is true
{{- end -}}
{{- if and .metrics.serviceMonitor.enabled .networkPolicy.enabled (not .networkPolicy.managementFrom) }}
- site.networkPolicy.managementFrom is empty. It must allow Prometheus if site.metrics.serviceMonitor.enabled is true
{{- end -}}
{{- include "offprint.validateAutoscaling" (dict "name" "site" "autoscaling" .autoscaling) -}}
{{- include "offprint.validateService" (dict "name" "site.service" "service" .service) -}}
{{- $own := include "offprint.siteSettings" $ | fromYaml | keys -}}
{{- $fields := include "offprint.siteVariables" $ | fromYaml -}}
{{- $volumes := list "tmp" "releases" "source" "bundles" "token" "tls" "certificate-authority" -}}
{{- $mounts := list "/tmp" "/var/lib/offprint-site" "/etc/offprint/source" "/bundles" "/etc/offprint/token" "/etc/offprint/tls" "/etc/offprint/certificate-authority" -}}
{{- include "offprint.validatePod" (dict "name" "site.pod" "pod" .pod "own" $own "fields" $fields "volumes" $volumes "mounts" $mounts "ports" (list "http" "https" "management") "container" "site") -}}
{{- end -}}
{{- end -}}

{{/*
Takes platform and security (the values), own and ofRenderer (names of the settings that the chart sets for API and
workers, and for the renderer).
*/}}
{{- define "offprint.validatePlatform" -}}
{{- $own := .own -}}
{{- $ofRenderer := .ofRenderer -}}
{{- $security := .security -}}
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
- platform.{{ $name }} is missing. It is required if platform.enabled is true
{{- end -}}
{{- end -}}
{{- if not (or .s3.region .s3.endpoint) }}
- platform.s3.region is missing. It is required unless platform.s3.endpoint is set
{{- end -}}
{{- if and .metrics.serviceMonitor.enabled .networkPolicy.enabled (not .networkPolicy.metricsFrom) }}
- platform.networkPolicy.metricsFrom is empty. It must allow Prometheus if platform.metrics.serviceMonitor.enabled is true
{{- end -}}
{{- if and .httpRoute.enabled (not .httpRoute.parentRefs) }}
- platform.httpRoute.parentRefs is empty. It is required if platform.httpRoute.enabled is true
{{- end -}}
{{- range $name, $value := dict "email" .hosting.acme.email "keyId" .hosting.acme.keyId "existingSecret" .hosting.acme.existingSecret -}}
{{- if and $value (not $.platform.hosting.acme.directory) }}
- platform.hosting.acme.{{ $name }} is set without platform.hosting.acme.directory. Set both, or unset platform.hosting.acme.{{ $name }}
{{- end -}}
{{- end -}}
{{- if ne (empty .hosting.acme.keyId) (empty .hosting.acme.existingSecret) }}
- platform.hosting.acme.keyId and platform.hosting.acme.existingSecret belong together. Set both or none
{{- end -}}
{{- include "offprint.validateService" (dict "name" "platform.service" "service" .service) -}}
{{- range $name, $value := .settings -}}
{{- include "offprint.validateVariable" (dict "place" "platform.settings." "name" $name "own" $own "fields" $fields) -}}
{{- end -}}
{{- range $name, $role := dict "platform.api" .api "platform.worker" .worker -}}
{{- include "offprint.validateAutoscaling" (dict "name" $name "autoscaling" $role.autoscaling) -}}
{{- $volumes := list "work" "tmp" "secrets" "settings" "certificate-authority" -}}
{{- $mounts := list "/var/lib/offprint" "/tmp" "/etc/offprint/secrets" "/etc/offprint/settings" "/etc/offprint/certificate-authority" -}}
{{- include "offprint.validatePod" (dict "name" (printf "%s.pod" $name) "pod" $role.pod "own" $own "fields" $fields "volumes" $volumes "mounts" $mounts "ports" (list "http" "metrics") "container" (trimPrefix "platform." $name)) -}}
{{- end -}}
{{- if .renderer.enabled -}}
{{- include "offprint.validateAutoscaling" (dict "name" "platform.renderer" "autoscaling" .renderer.autoscaling) -}}
{{- include "offprint.validatePod" (dict "name" "platform.renderer.pod" "pod" .renderer.pod "own" $ofRenderer "fields" dict "volumes" (list "work" "tmp") "mounts" (list "/var/lib/offprint-renderer" "/tmp") "ports" (list "renderer" "metrics") "container" "renderer") -}}
{{- if and $security.runAsUser (eq (int64 .renderer.security.runAsUser) (int64 $security.runAsUser)) }}
- platform.renderer.security.runAsUser is the user of API and workers. Use another one: the renderer processes the content of strangers
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "offprint.validateAutoscaling" -}}
{{- with .autoscaling -}}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
- {{ $.name }}.autoscaling.minReplicas is greater than {{ $.name }}.autoscaling.maxReplicas
{{- end -}}
{{- if and .enabled (not .cpuUtilization) (not .memoryUtilization) }}
- {{ $.name }}.autoscaling.cpuUtilization and {{ $.name }}.autoscaling.memoryUtilization are both 0. Set at least one of them
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Fields that Kubernetes rejects or silently ignores for other types of services. Takes name (of the values) and service.
*/}}
{{- define "offprint.validateService" -}}
{{- $name := .name -}}
{{- with .service -}}
{{- $type := .type -}}
{{- range $field, $value := dict "nodePort" .nodePort "externalTrafficPolicy" .externalTrafficPolicy -}}
{{- if and $value (eq $type "ClusterIP") }}
- {{ $name }}.{{ $field }} requires the type NodePort or LoadBalancer, but {{ $name }}.type is {{ $type }}
{{- end -}}
{{- end -}}
{{- range $field, $value := dict "loadBalancerClass" .loadBalancerClass "loadBalancerSourceRanges" .loadBalancerSourceRanges -}}
{{- if and $value (ne $type "LoadBalancer") }}
- {{ $name }}.{{ $field }} requires the type LoadBalancer, but {{ $name }}.type is {{ $type }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Takes name (of the values), pod (the values), own and fields (see validateVariable), and the names that the chart uses:
volumes (names), mounts (paths), ports (names) and container (its name).
*/}}
{{- define "offprint.validatePod" -}}
{{- range .pod.extraEnv -}}
{{- include "offprint.validateVariable" (dict "place" (printf "%s.extraEnv: " $.name) "name" .name "own" $.own "fields" $.fields) -}}
{{- end -}}
{{- range .pod.extraVolumes -}}
{{- if has .name $.volumes }}
- {{ $.name }}.extraVolumes: the name {{ .name }} is used by a volume of the chart. Use another name
{{- end -}}
{{- end -}}
{{- $volumes := .volumes -}}
{{- $named := list -}}
{{- range .pod.extraVolumes -}}
{{- if has .name $named }}
- {{ $.name }}.extraVolumes: the name {{ .name }} is used by two volumes
{{- end -}}
{{- $named = append $named .name -}}
{{- $volumes = append $volumes .name -}}
{{- end -}}
{{- $mounted := list -}}
{{- range .pod.extraVolumeMounts -}}
{{- $path := clean .mountPath -}}
{{- if has $path $.mounts }}
- {{ $.name }}.extraVolumeMounts: the chart mounts a volume at {{ $path }}. Use another path
{{- else if has $path $mounted }}
- {{ $.name }}.extraVolumeMounts: two volumes are mounted at {{ $path }}
{{- end -}}
{{- $mounted = append $mounted $path -}}
{{- if not (has .name $volumes) }}
- {{ $.name }}.extraVolumes does not contain the volume {{ .name }}, which {{ $.name }}.extraVolumeMounts uses
{{- end -}}
{{- end -}}
{{- $sidecars := list -}}
{{- range .pod.sidecars -}}
{{- $sidecar := .name -}}
{{- if eq .name $.container }}
- {{ $.name }}.sidecars: the name {{ .name }} is used by the container of the chart. Use another name
{{- else if has .name $sidecars }}
- {{ $.name }}.sidecars: the name {{ .name }} is used by two containers
{{- end -}}
{{- $sidecars = append $sidecars .name -}}
{{- include "offprint.validateHosts" (dict "name" $.name "sidecar" .) -}}
{{- if .securityContext }}
- {{ $.name }}.sidecars: {{ .name }} has a securityContext. Remove it: the chart sets the security context
{{- end -}}
{{- range .ports -}}
{{- if .hostPort }}
- {{ $.name }}.sidecars: {{ $sidecar }} has a hostPort, which is not allowed
{{- end -}}
{{- if has (default "" .name) $.ports }}
- {{ $.name }}.sidecars: {{ $sidecar }} has a port named {{ .name }}. Use another name: services find the container of the chart by this name
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Probes and hooks that connect to other hosts, which the restricted Pod Security Standard forbids. Takes name (of the
values) and sidecar.
*/}}
{{- define "offprint.validateHosts" -}}
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
- {{ $.name }}.sidecars: {{ $.sidecar.name }} has a host in {{ $place }}.{{ $way }}. Remove it: probes and hooks may connect to their pod only
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Variables of the chart must not be set again: the result would depend on their order, or the program would reject both.
Takes place, name, own (names of the variables that are set) and fields (of the chart, by variable).
*/}}
{{- define "offprint.validateVariable" -}}
{{- $base := trimSuffix "_FILE" .name -}}
{{- $field := default (get .fields .name) (get .fields $base) -}}
{{- if or $field (has .name .own) (has $base .own) (has (printf "%s_FILE" .name) .own) }}
- {{ .place }}{{ .name }} is set by the chart{{ with $field }}. Use {{ . }} instead{{ end }}
{{- end -}}
{{- end -}}

{{/* Fields of the chart, by the variable that they set. Lists the variables that are not always set. */}}
{{- define "offprint.siteVariables" -}}
OFFPRINT_SITE_BUNDLE_URL: staticExport.bundleUrl
OFFPRINT_SITE_BUNDLE: staticExport.volume
OFFPRINT_URL: staticExport.pull
OFFPRINT_API_KEY: staticExport.pull
OFFPRINT_HOSTING_TOKEN: staticExport.hosting
OFFPRINT_SITE_TLS_PORT: site.tls.enabled
OFFPRINT_SITE_TLS_CERT_FILE: site.tls.existingSecret
OFFPRINT_SITE_TLS_KEY_FILE: site.tls.existingSecret
OFFPRINT_SITE_TRUSTED_PROXIES: site.trustedProxies
OFFPRINT_SITE_VERSION: staticExport.version
OFFPRINT_SITE_BUNDLE_SHA256: staticExport.sha256
OFFPRINT_SITE_BASE_PATH: site.basePath
OFFPRINT_SITE_TOKEN: site.management
OFFPRINT_CA_FILE: certificateAuthority.existingConfigMap
{{- end -}}

{{- define "offprint.platformVariables" -}}
OFFPRINT_CA_FILE: certificateAuthority.existingConfigMap
OFFPRINT_DATABASE_DIRECT_URL: platform.database.directKey
OFFPRINT_PREVIEW_URL: platform.previewUrl
OFFPRINT_HOSTING_TOKEN: platform.hosting.existingSecret
OFFPRINT_PREVIEW_DOMAIN: platform.hosting.previewDomain
OFFPRINT_SITE_TARGET: platform.hosting.target
OFFPRINT_ACME_DIRECTORY: platform.hosting.acme.directory
OFFPRINT_ACME_EMAIL: platform.hosting.acme.email
OFFPRINT_ACME_CHALLENGE: platform.hosting.acme.challenge
OFFPRINT_ACME_EAB_KEY_ID: platform.hosting.acme.keyId
OFFPRINT_ACME_EAB_HMAC_KEY: platform.hosting.acme.existingSecret
OFFPRINT_RENDERER_URL: platform.renderer.enabled
OFFPRINT_SETTINGS_DIR: platform.settingsFrom
OFFPRINT_TRUSTED_PROXIES: platform.trustedProxies
OTEL_EXPORTER_OTLP_ENDPOINT: platform.traces.endpoint
OTEL_TRACES_SAMPLER_ARG: platform.traces.ratio
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
