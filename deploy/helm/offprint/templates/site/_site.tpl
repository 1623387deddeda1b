{{- define "offprint.siteName" -}}
{{- printf "%s-site" (include "offprint.fullname" .) -}}
{{- end -}}

{{/* Secret with the link: an existing one, or the one that the chart creates. */}}
{{- define "offprint.linkSecret" -}}
{{- default (printf "%s-link" (include "offprint.siteName" .)) .Values.staticExport.existingSecret -}}
{{- end -}}

{{/* Settings of the site server. Secrets are files of a volume; the settings contain only their paths. */}}
{{- define "offprint.siteSettings" -}}
OFFPRINT_SITE_DIR: /var/lib/offprint-site
OFFPRINT_SITE_HOST: {{ include "offprint.listen" . | quote }}
OFFPRINT_SITE_PORT: "8080"
OFFPRINT_SITE_MANAGEMENT_HOST: {{ include "offprint.listen" . | quote }}
OFFPRINT_SITE_MANAGEMENT_PORT: "8081"
OFFPRINT_SITE_HTTPS: {{ .Values.site.https | quote }}
{{- with .Values.site.trustedProxies }}
OFFPRINT_SITE_TRUSTED_PROXIES: {{ join "," . | quote }}
{{- end }}
{{- if .Values.site.tls.enabled }}
OFFPRINT_SITE_TLS_PORT: "8443"
{{- if .Values.site.tls.existingSecret }}
OFFPRINT_SITE_TLS_CERT_FILE: /etc/offprint/tls/tls.crt
OFFPRINT_SITE_TLS_KEY_FILE: /etc/offprint/tls/tls.key
{{- end }}
{{- end }}
OFFPRINT_SITE_LOG_FORMAT: {{ .Values.site.logFormat | quote }}
OFFPRINT_SITE_SHUTDOWN_SECONDS: {{ int .Values.site.shutdownSeconds | quote }}
{{- with .Values.site.basePath }}
OFFPRINT_SITE_BASE_PATH: {{ . | quote }}
{{- end }}
{{- if .Values.site.management.existingSecret }}
OFFPRINT_SITE_TOKEN_FILE: /etc/offprint/token/token
{{- end }}
{{- if .Values.certificateAuthority.existingConfigMap }}
OFFPRINT_CA_FILE: /etc/offprint/certificate-authority/ca.pem
{{- end }}
{{- with .Values.staticExport }}
{{- if .bundleUrl }}
OFFPRINT_SITE_VERSION_FILE: /etc/offprint/source/version
OFFPRINT_SITE_BUNDLE_SHA256_FILE: /etc/offprint/source/sha256
{{- else }}
{{- with .version }}
OFFPRINT_SITE_VERSION: {{ . | quote }}
{{- end }}
{{- with .sha256 }}
OFFPRINT_SITE_BUNDLE_SHA256: {{ . | quote }}
{{- end }}
{{- end }}
{{- if .pull.enabled }}
OFFPRINT_URL: {{ .pull.url | quote }}
OFFPRINT_API_KEY_FILE: /etc/offprint/source/api-key
OFFPRINT_SITE_DOMAIN: {{ .pull.domain | quote }}
OFFPRINT_SITE_INTERVAL: {{ int .pull.interval | quote }}
{{- else if .hosting.enabled }}
OFFPRINT_URL: {{ .hosting.url | quote }}
OFFPRINT_HOSTING_TOKEN_FILE: /etc/offprint/source/hosting-token
{{- else if .volume.existingClaim }}
OFFPRINT_SITE_BUNDLE: {{ printf "/bundles/%s" .volume.path | trimSuffix "/" | quote }}
{{- else }}
OFFPRINT_SITE_BUNDLE_URL_FILE: /etc/offprint/source/bundle-url
{{- end }}
{{- end }}
{{- end -}}

{{- define "offprint.sitePod" -}}
{{- $selection := dict "root" . "component" "site" "pod" .Values.site.pod -}}
metadata:
  {{- include "offprint.podMetadata" $selection | nindent 2 }}
  annotations:
    {{- with .Values.site.pod.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    # Changed settings replace the pods one by one. Changed Secrets do not: pods read them again.
    checksum/settings: {{ include "offprint.siteSettings" . | sha256sum }}
spec:
  {{- include "offprint.podSecurity" . | nindent 2 }}
  serviceAccountName: {{ include "offprint.serviceAccountName" (dict "account" .Values.site.serviceAccount "name" (include "offprint.siteName" .)) }}
  # 5 seconds of preStop, the time for open requests, and a margin of 10 seconds.
  terminationGracePeriodSeconds: {{ add 15 (int .Values.site.shutdownSeconds) }}
  {{- include "offprint.placement" $selection | trim | nindent 2 }}
  containers:
    - name: site
      image: {{ include "offprint.image" (dict "root" . "image" .Values.site.image) | quote }}
      imagePullPolicy: {{ .Values.site.image.pullPolicy }}
      securityContext:
        {{- include "offprint.containerSecurity" . | nindent 8 }}
      envFrom:
        - configMapRef:
            name: {{ include "offprint.siteName" . }}
      {{- with .Values.site.pod.extraEnv }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: http
          containerPort: 8080
        - name: management
          containerPort: 8081
        {{- if .Values.site.tls.enabled }}
        - name: https
          containerPort: 8443
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: management }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: management }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # Ready as soon as a complete release is served, even if it is older than the requested one.
      readinessProbe:
        httpGet: { path: /readyz, port: management }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      lifecycle:
        {{- include "offprint.lifecycle" . | nindent 8 }}
      {{- with .Values.site.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: releases
          mountPath: /var/lib/offprint-site
        - name: tmp
          mountPath: /tmp
        {{- if .Values.staticExport.volume.existingClaim }}
        - name: bundles
          mountPath: /bundles
          readOnly: true
        {{- else }}
        - name: source
          mountPath: /etc/offprint/source
          readOnly: true
        {{- end }}
        {{- if .Values.site.management.existingSecret }}
        - name: token
          mountPath: /etc/offprint/token
          readOnly: true
        {{- end }}
        {{- if and .Values.site.tls.enabled .Values.site.tls.existingSecret }}
        - name: tls
          mountPath: /etc/offprint/tls
          readOnly: true
        {{- end }}
        {{- with include "offprint.certificateAuthorityMount" . | trim }}{{ . | nindent 8 }}{{ end }}
        {{- with .Values.site.pod.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with include "offprint.sidecars" .Values.site.pod | trim }}{{ . | nindent 4 }}{{ end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 64Mi }
    {{- if not .Values.site.persistence.enabled }}
    - name: releases
      emptyDir:
        sizeLimit: {{ .Values.site.persistence.size }}
    {{- end }}
    {{- if .Values.staticExport.volume.existingClaim }}
    - name: bundles
      persistentVolumeClaim:
        claimName: {{ .Values.staticExport.volume.existingClaim | quote }}
        readOnly: true
    {{- else if .Values.staticExport.pull.enabled }}
    - name: source
      secret:
        secretName: {{ .Values.staticExport.pull.existingSecret | quote }}
        items:
          - key: {{ .Values.staticExport.pull.existingSecretKey | quote }}
            path: api-key
    {{- else if .Values.staticExport.hosting.enabled }}
    - name: source
      secret:
        secretName: {{ .Values.staticExport.hosting.existingSecret | quote }}
        items:
          - key: {{ .Values.staticExport.hosting.existingSecretKey | quote }}
            path: hosting-token
    {{- else }}
    - name: source
      secret:
        secretName: {{ include "offprint.linkSecret" . }}
        items:
          {{- if .Values.staticExport.existingSecret }}
          - key: {{ .Values.staticExport.existingSecretKey | quote }}
            path: bundle-url
          {{- else }}
          - key: bundleUrl
            path: bundle-url
          - key: version
            path: version
          - key: sha256
            path: sha256
          {{- end }}
    {{- end }}
    {{- with .Values.site.management }}
    {{- if .existingSecret }}
    - name: token
      secret:
        secretName: {{ .existingSecret | quote }}
        items:
          - key: {{ .existingSecretKey | quote }}
            path: token
    {{- end }}
    {{- end }}
    {{- if and .Values.site.tls.enabled .Values.site.tls.existingSecret }}
    - name: tls
      secret:
        secretName: {{ .Values.site.tls.existingSecret | quote }}
        items:
          - key: tls.crt
            path: tls.crt
          - key: tls.key
            path: tls.key
    {{- end }}
    {{- with include "offprint.certificateAuthorityVolume" . | trim }}{{ . | nindent 4 }}{{ end }}
    {{- with .Values.site.pod.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/*
Ports of the source, separated by commas: the configured ports, otherwise the ports of the URL. The object store of
pull links, that of all sites, and the host of a link in a Secret are unknown here: they are assumed to use https.
*/}}
{{- define "offprint.sourcePorts" -}}
{{- $ports := list -}}
{{- if .Values.site.networkPolicy.egressPorts -}}
{{- range .Values.site.networkPolicy.egressPorts }}{{ $ports = append $ports (int . | toString) }}{{ end -}}
{{- else if .Values.staticExport.bundleUrl -}}
{{- $ports = list (include "offprint.urlPort" .Values.staticExport.bundleUrl) -}}
{{- else if .Values.staticExport.pull.enabled -}}
{{- $ports = list (include "offprint.urlPort" .Values.staticExport.pull.url) "443" | uniq -}}
{{- else if .Values.staticExport.hosting.enabled -}}
{{- $ports = list (include "offprint.urlPort" .Values.staticExport.hosting.url) "443" | uniq -}}
{{- else -}}
{{- $ports = list "443" -}}
{{- end -}}
{{- join "," $ports -}}
{{- end -}}
