{{/* Objects that the site and the platform have in common. */}}

{{/* Takes root, component, name, kind (of the workload) and autoscaling (the values). */}}
{{- define "offprint.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "offprint.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: {{ .kind }}
    name: {{ .name | quote }}
  minReplicas: {{ int .autoscaling.minReplicas }}
  maxReplicas: {{ int .autoscaling.maxReplicas }}
  metrics:
    {{- range $name, $percent := dict "cpu" .autoscaling.cpuUtilization "memory" .autoscaling.memoryUtilization }}
    {{- with $percent }}
    - type: Resource
      resource:
        name: {{ $name }}
        target:
          type: Utilization
          averageUtilization: {{ int . }}
    {{- end }}
    {{- end }}
  {{- with .autoscaling.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Takes root, component, name and budget (the values). */}}
{{- define "offprint.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "offprint.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ .budget.maxUnavailable }}
  # A pod that is not ready does not serve requests, so it must not block a drain.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "offprint.selector" . | nindent 6 }}
{{- end -}}

{{/* Takes root, component, name and account (the values). */}}
{{- define "offprint.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "offprint.metadata" (merge (dict "annotations" .account.annotations) .) | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}

{{/* Type of a service and the fields that depend on it. Takes the values of the service. */}}
{{- define "offprint.serviceType" -}}
type: {{ .type }}
{{- with .loadBalancerClass }}
loadBalancerClass: {{ . }}
{{- end }}
{{- with .loadBalancerSourceRanges }}
loadBalancerSourceRanges:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .externalTrafficPolicy }}
externalTrafficPolicy: {{ . }}
{{- end }}
{{- end -}}

{{/* The port for clients. Takes the values of the service. */}}
{{- define "offprint.servicePort" -}}
- name: http
  port: {{ int .port }}
  targetPort: http
  {{- with .nodePort }}
  nodePort: {{ int . }}
  {{- end }}
{{- end -}}

{{/* Takes root, component, name, route (the values), hostnames, path, service and port. */}}
{{- define "offprint.httpRoute" -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  {{- include "offprint.metadata" (merge (dict "annotations" .route.annotations) .) | nindent 2 }}
spec:
  parentRefs:
    {{- toYaml .route.parentRefs | nindent 4 }}
  {{- with .hostnames }}
  hostnames:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - matches:
        - path:
            type: PathPrefix
            value: {{ .path }}
      backendRefs:
        - name: {{ .service }}
          port: {{ int .port }}
{{- end -}}

{{/* Takes root, component, name, route (the values), host, path and service; path and host may be empty. */}}
{{- define "offprint.route" -}}
apiVersion: route.openshift.io/v1
kind: Route
metadata:
  {{- include "offprint.metadata" (merge (dict "annotations" .route.annotations) .) | nindent 2 }}
spec:
  {{- with .host }}
  host: {{ . | quote }}
  {{- end }}
  {{- with .path }}
  path: {{ . }}
  {{- end }}
  to:
    kind: Service
    name: {{ .service }}
    weight: 100
  port:
    targetPort: http
  tls:
    termination: edge
    insecureEdgeTerminationPolicy: Redirect
{{- end -}}

{{/* Egress to DNS. Takes ports. */}}
{{- define "offprint.dnsEgress" -}}
- ports:
    {{- range .ports }}
    - port: {{ int . }}
      protocol: UDP
    - port: {{ int . }}
      protocol: TCP
    {{- end }}
{{- end -}}

{{/* Egress to TCP ports. Takes ports (strings) and to (peers). */}}
{{- define "offprint.tcpEgress" -}}
- ports:
    {{- range .ports }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Takes root, component, name, port (its name) and monitor (the values). */}}
{{- define "offprint.serviceMonitor" -}}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  {{- $metadata := include "offprint.metadata" . | fromYaml }}
  {{- $labels := merge (dict) (default (dict) .monitor.labels) $metadata.labels }}
  {{- toYaml (merge (dict "labels" $labels) $metadata) | nindent 2 }}
spec:
  selector:
    matchLabels:
      {{- include "offprint.selector" . | nindent 6 }}
  namespaceSelector:
    matchNames:
      - {{ .root.Release.Namespace | quote }}
  endpoints:
    - port: {{ .port }}
      path: /metrics
      interval: {{ .monitor.interval }}
{{- end -}}
