{{- define "offprint.apiName" -}}
{{- printf "%s-api" (include "offprint.fullname" .) -}}
{{- end -}}

{{- define "offprint.workerName" -}}
{{- printf "%s-worker" (include "offprint.fullname" .) -}}
{{- end -}}

{{- define "offprint.rendererName" -}}
{{- printf "%s-renderer" (include "offprint.fullname" .) -}}
{{- end -}}

{{- define "offprint.platformName" -}}
{{- printf "%s-platform" (include "offprint.fullname" .) -}}
{{- end -}}

{{/* Settings of API and workers that the chart sets. Secrets are files of a volume; the settings contain only their paths. */}}
{{- define "offprint.platformSettings" -}}
OFFPRINT_DATA_DIR: /var/lib/offprint
OFFPRINT_HOST: {{ include "offprint.listen" . | quote }}
{{- if .Values.certificateAuthority.existingConfigMap }}
OFFPRINT_CA_FILE: /etc/offprint/certificate-authority/ca.pem
# for the AWS SDK, which does not use the setting above
NODE_EXTRA_CA_CERTS: /etc/offprint/certificate-authority/ca.pem
{{- end }}
{{- with .Values.platform }}
OFFPRINT_PORT: "4100"
OFFPRINT_METRICS_PORT: {{ int .metrics.port | quote }}
OFFPRINT_PUBLIC_URL: {{ .publicUrl | quote }}
{{- with .previewUrl }}
OFFPRINT_PREVIEW_URL: {{ . | quote }}
{{- end }}
{{- with .trustedProxies }}
OFFPRINT_TRUSTED_PROXIES: {{ join "," . | quote }}
{{- end }}
OFFPRINT_SHUTDOWN_SECONDS: {{ int .shutdownSeconds | quote }}
{{- if .renderer.enabled }}
OFFPRINT_RENDERER_URL: {{ printf "http://%s:4200" (include "offprint.rendererName" $) | quote }}
{{- end }}
{{- if .settingsFrom }}
# Files, so that no secret is in the environment. The variables here take precedence.
OFFPRINT_SETTINGS_DIR: /etc/offprint/settings
{{- end }}
OFFPRINT_SECRET_FILE: /etc/offprint/secrets/secret
DATABASE_URL_FILE: /etc/offprint/secrets/database-url
{{- if .database.directKey }}
OFFPRINT_DATABASE_DIRECT_URL_FILE: /etc/offprint/secrets/database-direct-url
{{- end }}
OFFPRINT_DATABASE_CONNECTIONS: {{ int .database.connections | quote }}
{{- with .traces.endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . | quote }}
OTEL_TRACES_SAMPLER_ARG: {{ $.Values.platform.traces.ratio | quote }}
{{- end }}
OFFPRINT_S3_BUCKET: {{ .s3.bucket | quote }}
{{- with .s3.region }}
OFFPRINT_S3_REGION: {{ . | quote }}
{{- end }}
{{- with .s3.endpoint }}
OFFPRINT_S3_ENDPOINT: {{ . | quote }}
{{- end }}
{{- with .s3.publicEndpoint }}
OFFPRINT_S3_PUBLIC_ENDPOINT: {{ . | quote }}
{{- end }}
{{- with .s3.prefix }}
OFFPRINT_S3_PREFIX: {{ . | quote }}
{{- end }}
{{- if kindIs "bool" .s3.forcePathStyle }}
OFFPRINT_S3_FORCE_PATH_STYLE: {{ .s3.forcePathStyle | quote }}
{{- end }}
{{- with .s3.checksums }}
OFFPRINT_S3_CHECKSUMS: {{ . | quote }}
{{- end }}
{{- if .s3.existingSecret }}
OFFPRINT_S3_ACCESS_KEY_ID_FILE: /etc/offprint/secrets/s3-access-key-id
OFFPRINT_S3_SECRET_ACCESS_KEY_FILE: /etc/offprint/secrets/s3-secret-access-key
{{- end }}
{{- with .hosting }}
{{- if .existingSecret }}
OFFPRINT_HOSTING_TOKEN_FILE: /etc/offprint/secrets/hosting-token
{{- end }}
{{- with .previewDomain }}
OFFPRINT_PREVIEW_DOMAIN: {{ . | quote }}
{{- end }}
{{- with .target }}
OFFPRINT_SITE_TARGET: {{ . | quote }}
{{- end }}
{{- with .acme }}
{{- if .directory }}
OFFPRINT_ACME_DIRECTORY: {{ .directory | quote }}
OFFPRINT_ACME_CHALLENGE: {{ .challenge | quote }}
{{- with .email }}
OFFPRINT_ACME_EMAIL: {{ . | quote }}
{{- end }}
{{- with .keyId }}
OFFPRINT_ACME_EAB_KEY_ID: {{ . | quote }}
{{- end }}
{{- if .existingSecret }}
OFFPRINT_ACME_EAB_HMAC_KEY_FILE: /etc/offprint/secrets/acme-hmac-key
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- with .operator.email }}
OFFPRINT_OPERATOR_EMAIL: {{ . | quote }}
{{- end }}
{{- if .operator.existingSecret }}
OFFPRINT_OPERATOR_PASSWORD_FILE: /etc/offprint/secrets/operator-password
{{- end }}
{{- end }}
{{- end -}}

{{/* Settings of the renderer. None is secret, and none of API and workers is among them but the limits of exports. */}}
{{- define "offprint.rendererSettings" -}}
OFFPRINT_DATA_DIR: /var/lib/offprint-renderer
OFFPRINT_HOST: {{ include "offprint.listen" . | quote }}
OFFPRINT_RENDERER_PORT: "4200"
OFFPRINT_METRICS_PORT: {{ int .Values.platform.metrics.port | quote }}
OFFPRINT_SHUTDOWN_SECONDS: {{ int .Values.platform.shutdownSeconds | quote }}
{{- range $name, $value := .Values.platform.settings }}
{{- if has $name (include "offprint.sharedSettings" . | fromYamlArray) }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Names in platform.settings that the renderer gets too. */}}
{{- define "offprint.sharedSettings" -}}
- OFFPRINT_EXPORT_CONCURRENCY
- OFFPRINT_EXPORT_CPU_SECONDS
- OFFPRINT_EXPORT_MEMORY_MB
- OFFPRINT_EXPORT_NICE
- OFFPRINT_EXPORT_OUTPUT_MB
- OFFPRINT_EXPORT_TIMEOUT_SECONDS
- OFFPRINT_LOG_FORMAT
- OFFPRINT_LOG_LEVEL
- OFFPRINT_MAX_SOURCE_MB
- OFFPRINT_SANDBOX
{{- end -}}

{{- define "offprint.secretItem" -}}
- secret:
    name: {{ .name | quote }}
    items:
      - key: {{ .key | quote }}
        path: {{ .path }}
{{- end -}}

{{/* The URLs of the database. Takes its values. */}}
{{- define "offprint.databaseSecrets" -}}
{{ include "offprint.secretItem" (dict "name" .existingSecret "key" .existingSecretKey "path" "database-url") }}
{{- if .directKey }}
{{ include "offprint.secretItem" (dict "name" .existingSecret "key" .directKey "path" "database-direct-url") }}
{{- end }}
{{- end -}}

{{/* The secrets as files of one volume. */}}
{{- define "offprint.platformSecrets" -}}
{{- with .Values.platform -}}
{{ include "offprint.secretItem" (dict "name" .secret.existingSecret "key" .secret.existingSecretKey "path" "secret") }}
{{ include "offprint.databaseSecrets" .database }}
{{- if .s3.existingSecret }}
{{ include "offprint.secretItem" (dict "name" .s3.existingSecret "key" .s3.accessKeyIdKey "path" "s3-access-key-id") }}
{{ include "offprint.secretItem" (dict "name" .s3.existingSecret "key" .s3.secretAccessKeyKey "path" "s3-secret-access-key") }}
{{- end }}
{{- with .hosting }}
{{- if .existingSecret }}
{{ include "offprint.secretItem" (dict "name" .existingSecret "key" .existingSecretKey "path" "hosting-token") }}
{{- end }}
{{- if and .acme.directory .acme.existingSecret }}
{{ include "offprint.secretItem" (dict "name" .acme.existingSecret "key" .acme.existingSecretKey "path" "acme-hmac-key") }}
{{- end }}
{{- end }}
{{- if .operator.existingSecret }}
{{ include "offprint.secretItem" (dict "name" .operator.existingSecret "key" .operator.existingSecretKey "path" "operator-password") }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Deployment of a role. Takes root, component (api or worker), name and role (the values). */}}
{{- define "offprint.roleDeployment" -}}
{{- $platform := .root.Values.platform -}}
{{- $selection := merge (dict "pod" .role.pod "partOf" "platform") . -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "offprint.metadata" . | nindent 2 }}
spec:
  {{- if not .role.autoscaling.enabled }}
  replicas: {{ int .role.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ int $platform.revisionHistoryLimit }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels:
      {{- include "offprint.selector" . | nindent 6 }}
  template:
    metadata:
      {{- include "offprint.podMetadata" $selection | nindent 6 }}
      annotations:
        {{- with .role.pod.annotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        checksum/settings: {{ printf "%s\n%s" (include "offprint.platformSettings" .root) (toYaml $platform.settings) | sha256sum }}
    spec:
      {{- include "offprint.podSecurity" .root | nindent 6 }}
      serviceAccountName: {{ include "offprint.serviceAccountName" (dict "account" $platform.serviceAccount "name" (include "offprint.platformName" .root)) }}
      # 5 seconds of preStop, the time for running exports, and 30 seconds to requeue the other jobs and close connections.
      terminationGracePeriodSeconds: {{ add 5 (int $platform.shutdownSeconds) 30 }}
      {{- include "offprint.placement" $selection | trim | nindent 6 }}
      containers:
        - name: {{ .component }}
          image: {{ include "offprint.image" (dict "root" .root "image" $platform.image) | quote }}
          imagePullPolicy: {{ $platform.image.pullPolicy }}
          args: [{{ .component }}]
          securityContext:
            {{- include "offprint.containerSecurity" .root | nindent 12 }}
          envFrom:
            - configMapRef:
                name: {{ include "offprint.platformName" .root }}
          {{- with .role.pod.extraEnv }}
          env:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- if eq .component "api" }}
            - name: http
              containerPort: 4100
            {{- end }}
            - name: metrics
              containerPort: {{ int $platform.metrics.port }}
          {{- include "offprint.roleProbes" . | nindent 10 }}
          lifecycle:
            {{- include "offprint.lifecycle" .root | nindent 12 }}
          {{- with .role.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          volumeMounts:
            - name: work
              mountPath: /var/lib/offprint
            - name: tmp
              mountPath: /tmp
            - name: secrets
              mountPath: /etc/offprint/secrets
              readOnly: true
            {{- if $platform.settingsFrom }}
            - name: settings
              mountPath: /etc/offprint/settings
              readOnly: true
            {{- end }}
            {{- with include "offprint.certificateAuthorityMount" .root | trim }}{{ . | nindent 12 }}{{ end }}
            {{- with .role.pod.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        {{- with include "offprint.sidecars" .role.pod | trim }}{{ . | nindent 8 }}{{ end }}
      volumes:
        - name: work
          emptyDir:
            sizeLimit: {{ .role.workSize }}
        - name: tmp
          emptyDir: { sizeLimit: 1Gi }
        - name: secrets
          projected:
            sources:
              {{- include "offprint.platformSecrets" .root | nindent 14 }}
        {{- with $platform.settingsFrom }}
        - name: settings
          projected:
            sources:
              {{- range . }}
              - secret:
                  name: {{ . | quote }}
              {{- end }}
        {{- end }}
        {{- with include "offprint.certificateAuthorityVolume" .root | trim }}{{ . | nindent 8 }}{{ end }}
        {{- with .role.pod.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}

{{/* Workers have no API, so their probes use the port of the metrics. The startup probe leaves time for the database to start. */}}
{{- define "offprint.roleProbes" -}}
{{- $port := ternary "http" "metrics" (eq .component "api") -}}
startupProbe:
  httpGet: { path: /healthz, port: {{ $port }} }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: {{ $port }} }
  periodSeconds: 15
  timeoutSeconds: 10
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: {{ $port }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end -}}
