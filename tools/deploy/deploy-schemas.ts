/**
 * Strict schemas for deploy/: the parts of the Compose Specification and the Kubernetes API in use, so that misspelled or
 * misplaced keys are found.
 */
import * as z from 'zod';

const seconds = z.string().regex(/^\d+s$/);
const texts = z.array(z.string().min(1));
const named = z.record(z.string().regex(/^[a-z][\w-]*$/), z.null());

const service = z.strictObject({
  image: z.string().min(1),
  build: z.strictObject({ context: z.string(), dockerfile: z.string(), target: z.string() }).optional(),
  restart: z.enum(['no', 'unless-stopped']).optional(),
  profiles: texts.optional(),
  command: texts.optional(),
  env_file: z.string().optional(),
  environment: z.record(z.string(), z.string()).optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
  ports: z.array(z.string().regex(/^\d+:\d+(?:\/udp)?$/)).optional(),
  volumes: z.array(z.string().regex(/^[./\w-]+:\/[./\w-]+(?::ro)?$/)).optional(),
  networks: texts,
  healthcheck: z
    .strictObject({ test: texts, interval: seconds, timeout: seconds, retries: z.int() })
    .optional(),
  stop_grace_period: seconds.optional(),
  shm_size: z.string().optional(),
  read_only: z.boolean().optional(),
  tmpfs: texts.optional(),
  cap_drop: texts.optional(),
  security_opt: texts.optional(),
});

/** https://github.com/compose-spec/compose-spec */
export const compose = z.strictObject({
  name: z.string(),
  'x-vestibule': z.looseObject({}),
  services: z.record(z.string(), service),
  networks: z.record(
    z.string(),
    z.strictObject({
      ipam: z.strictObject({ config: z.array(z.strictObject({ subnet: z.cidrv4() })) }),
    }),
  ),
  volumes: named,
});

/** https://kubectl.docs.kubernetes.io/references/kustomize/kustomization */
export const kustomization = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  namespace: z.string(),
  resources: texts,
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })),
});

const metadata = z.strictObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});
const selector = z.strictObject({ matchLabels: z.record(z.string(), z.string()) });
const reference = z.strictObject({ name: z.string() });
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string().startsWith('/'), port: z.string() }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int().optional(),
  failureThreshold: z.int().optional(),
});
const quantities = z.strictObject({ cpu: z.string().optional(), memory: z.string() });

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  args: texts.optional(),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).optional(),
  envFrom: z.array(z.strictObject({ configMapRef: reference.optional(), secretRef: reference.optional() })),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  resources: z.strictObject({ requests: quantities, limits: quantities }).optional(),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(z.strictObject({ name: z.string(), mountPath: z.string().startsWith('/') })),
});

const pod = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  terminationGracePeriodSeconds: z.int().optional(),
  restartPolicy: z.enum(['Never', 'OnFailure']).optional(),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.literal(1000),
    runAsGroup: z.literal(1000),
    fsGroup: z.literal(1000),
    fsGroupChangePolicy: z.enum(['OnRootMismatch', 'Always']).optional(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  topologySpreadConstraints: z
    .array(
      z.strictObject({
        maxSkew: z.int(),
        topologyKey: z.string(),
        whenUnsatisfiable: z.enum(['ScheduleAnyway', 'DoNotSchedule']),
        labelSelector: selector,
      }),
    )
    .optional(),
  containers: z.array(container).length(1),
  volumes: z.array(
    z.strictObject({
      name: z.string(),
      persistentVolumeClaim: z.strictObject({ claimName: z.string() }).optional(),
      emptyDir: z.strictObject({}).optional(),
    }),
  ),
});

const resource = <Version extends string, Kind extends string, More extends z.ZodRawShape>(
  apiVersion: Version,
  kind: Kind,
  more: More,
) => z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(kind), metadata, ...more });

/** https://kubernetes.io/docs/reference/kubernetes-api */
export const manifest = z.discriminatedUnion('kind', [
  resource('v1', 'Namespace', {}),
  resource('v1', 'ConfigMap', {
    data: z.record(z.string(), z.string()),
  }),
  resource('v1', 'Secret', {
    type: z.literal('Opaque'),
    stringData: z.record(z.string(), z.string()),
  }),
  resource('apps/v1', 'Deployment', {
    spec: z.strictObject({
      replicas: z.int(),
      selector,
      strategy: z.strictObject({
        rollingUpdate: z.strictObject({ maxUnavailable: z.int(), maxSurge: z.int() }),
      }),
      template: z.strictObject({
        metadata: z.strictObject({ labels: z.record(z.string(), z.string()) }),
        spec: pod,
      }),
    }),
  }),
  resource('v1', 'Service', {
    spec: z.strictObject({
      selector: z.record(z.string(), z.string()),
      ports: z.array(z.strictObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
    }),
  }),
  resource('policy/v1', 'PodDisruptionBudget', {
    spec: z.strictObject({ minAvailable: z.int(), selector }),
  }),
  resource('networking.k8s.io/v1', 'Ingress', {
    spec: z.strictObject({
      tls: z.array(z.strictObject({ hosts: texts, secretName: z.string() })),
      rules: z.array(
        z.strictObject({
          host: z.string(),
          http: z.strictObject({
            paths: z.array(
              z.strictObject({
                path: z.literal('/'),
                pathType: z.literal('Prefix'),
                backend: z.strictObject({
                  service: z.strictObject({ name: z.string(), port: reference }),
                }),
              }),
            ),
          }),
        }),
      ),
    }),
  }),
  resource('v1', 'PersistentVolumeClaim', {
    spec: z.strictObject({
      accessModes: z.array(z.enum(['ReadWriteMany', 'ReadWriteOnce'])),
      resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
    }),
  }),
  resource('batch/v1', 'CronJob', {
    spec: z.strictObject({
      schedule: z.string().regex(/^(?:[\d*]+ ){4}[\d*]+$/),
      concurrencyPolicy: z.enum(['Forbid', 'Allow', 'Replace']),
      jobTemplate: z.strictObject({
        spec: z.strictObject({
          backoffLimit: z.int(),
          template: z.strictObject({ spec: pod }),
        }),
      }),
    }),
  }),
]);

export type Manifest = z.infer<typeof manifest>;
