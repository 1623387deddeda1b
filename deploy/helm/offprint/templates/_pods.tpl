{{/* Parts that pods have in common. */}}

{{/* Labels of pods. Takes root, component, pod (the values), and optionally partOf. */}}
{{- define "offprint.podMetadata" -}}
{{- $labels := include "offprint.selector" . | fromYaml -}}
{{- with .partOf }}{{ $labels = set $labels "app.kubernetes.io/part-of" . }}{{ end -}}
labels:
  {{- toYaml (merge $labels (default (dict) .pod.labels)) | nindent 2 }}
{{- end -}}

{{/* Security of a pod: the requirements of the restricted Pod Security Standard, and no service account token. */}}
{{- define "offprint.podSecurity" -}}
{{ include "offprint.podSecurityOf" (dict "root" . "ids" .Values.security) }}
{{- end -}}

{{/* The same with other ids. Takes root and ids (runAsUser, runAsGroup, fsGroup). */}}
{{- define "offprint.podSecurityOf" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- with .ids.runAsUser }}
  runAsUser: {{ int64 . }}
  {{- end }}
  {{- with .ids.runAsGroup }}
  runAsGroup: {{ int64 . }}
  {{- end }}
  {{- with .ids.fsGroup }}
  fsGroup: {{ int64 . }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "offprint.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Runtime class, host names and DNS of a pod. Takes the values of the pod. */}}
{{- define "offprint.surroundings" -}}
{{- with .runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with .hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Further containers, with the security context of the chart. Takes the values of the pod. */}}
{{- define "offprint.sidecars" -}}
{{- $security := include "offprint.containerSecurity" . | fromYaml -}}
{{- range .sidecars }}
{{ toYaml (list (set (deepCopy .) "securityContext" $security)) }}
{{- end }}
{{- end -}}

{{/* Scheduling of pods. Takes root, component and pod (the values). */}}
{{- define "offprint.placement" -}}
{{- with include "offprint.surroundings" .pod | trim }}
{{ . }}
{{- end }}
{{- with .pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .pod.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- if .pod.topologySpreadConstraints }}
  {{- toYaml .pod.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  {{- $selector := include "offprint.selector" . }}
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
  {{- end }}
  {{- end }}
{{- end -}}

{{/* Delays SIGTERM until load balancers have removed the pod. */}}
{{- define "offprint.lifecycle" -}}
preStop:
  sleep:
    seconds: 5
{{- end -}}

{{- define "offprint.certificateAuthorityVolume" -}}
{{- with .Values.certificateAuthority }}
{{- if .existingConfigMap }}
- name: certificate-authority
  configMap:
    name: {{ .existingConfigMap | quote }}
    items:
      - key: {{ .key | quote }}
        path: ca.pem
{{- end }}
{{- end }}
{{- end -}}

{{- define "offprint.certificateAuthorityMount" -}}
{{- if .Values.certificateAuthority.existingConfigMap }}
- name: certificate-authority
  mountPath: /etc/offprint/certificate-authority
  readOnly: true
{{- end }}
{{- end -}}

{{/* IP families of a service. */}}
{{- define "offprint.ipFamilies" -}}
{{- with .Values.network.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.network.ipFamilies }}
ipFamilies:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
