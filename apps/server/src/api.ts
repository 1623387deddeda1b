import type { AddressInfo } from 'node:net';
import { accountRoutes, operatedUserRoutes } from './accounts/routes.ts';
import { type Adapters, checksOf, warningsOf } from './adapters.ts';
import { agentRoutes } from './agent/routes.ts';
import { registerEventsRoute } from './analytics/hosting-route.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { readVisitorKeys } from './analytics/service.ts';
import { registerAssistantRoutes } from './assistant/hosting-route.ts';
import { assistantRoutes } from './assistant/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { describeTarget, recordAct } from './audit/service.ts';
import { automationRoutes } from './automation/routes.ts';
import { registerCertificateRoutes } from './certificates/hosting-route.ts';
import type { Config } from './config.ts';
import { registerHostingRoutes } from './deployments/hosting-route.ts';
import { deploymentRoutes } from './deployments/routes.ts';
import { createSites } from './deployments/sites.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { domainRoutes } from './domains/routes.ts';
import { registerPreviewRoute } from './exports/preview-route.ts';
import { exportRoutes } from './exports/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { registerBlobRoute } from './platform/http/blob-route.ts';
import { registerDocs } from './platform/http/docs-site.ts';
import { healthRoutes } from './platform/http/health.ts';
import { registerSecurityTxt } from './platform/http/security-txt.ts';
import { createServer } from './platform/http/server.ts';
import { createRateStore } from './platform/http/shared-rate-limit.ts';
import { registerStaticFiles } from './platform/http/static-files.ts';
import { StartError } from './platform/start-error.ts';
import { projectRoutes } from './projects/routes.ts';
import { readMeasured as readMeasuredProjects } from './projects/service.ts';
import { readerRoutes } from './readers/routes.ts';
import { registerSignInRoute } from './readers/sign-in-route.ts';
import {
  certificateKey,
  createServices,
  domainKey,
  featureAdapters,
  mailerOf,
  quotasOf,
  type Services,
} from './services.ts';

export interface Api {
  /** Address that clients use. */
  url: string;
  services: Services;
  /** Makes /readyz 503 and lets clients leave; requests are still served. */
  drain(): void;
  /** Completes requests in progress, ends what waits, accepts nothing new. */
  close(): Promise<void>;
}

/** Builds the HTTP API on the adapters and listens. */
export async function startApi(config: Config, adapters: Adapters): Promise<Api> {
  const { db, localBlobs, log } = adapters;
  const services = createServices(config, adapters);
  const readMeasured = (ids: readonly string[]) => readMeasuredProjects(db, ids, featureAdapters(config));
  const isDraining = (): boolean => server.drain.isDraining();
  const server = createServer({
    routes: [
      ...exportRoutes(services.exports),
      ...deploymentRoutes(services.deployments),
      ...discoveryRoutes(services.discovery),
      ...agentRoutes(services.agent),
      ...assistantRoutes(services.assistant),
      ...projectRoutes(services.projects, services.testConnection),
      ...automationRoutes(services.automation),
      ...notificationRoutes(services.notifications),
      ...readerRoutes(services.readers),
      ...domainRoutes(services.domains),
      ...keyRoutes(services.keys),
      ...organizationRoutes({
        db,
        log,
        publicUrl: adapters.publicUrl,
        mail: mailerOf(config),
        requireUsable: services.keys.requireUsable,
        rules: { signUp: config.signUp, defaultPlan: config.defaultPlan },
      }),
      ...analyticsRoutes({ db, isMeasured: async (id) => (await readMeasured([id])).has(id) }),
      ...auditRoutes(db, quotasOf(config)),
      ...accountRoutes(db, services.accounts, services.singleSignOn),
      ...operatedUserRoutes(db, adapters.publicUrl),
      ...healthRoutes(
        {
          checks: {
            ...checksOf(adapters),
            shutdown: async () => {
              if (isDraining()) throw new StartError('The process stops.');
            },
          },
          warnings: () => warningsOf(adapters),
          sandbox: () => adapters.sandbox.report(),
          log,
        },
        adapters.publicUrl,
      ),
    ],
    authenticate: (given) =>
      given.authorization === undefined && given.session !== undefined
        ? services.accounts.authenticate(given.session, given.organization)
        : services.keys.authenticate(given.authorization, given.address),
    identify: (given) => services.accounts.identify(given.session),
    record: (act) => recordAct(db, act),
    describeTarget: (act) => describeTarget(db, { ...act, outcome: 'done' }),
    origin: config.publicUrl,
    trustedProxies: config.trustedProxies,
    rateLimit: config.rateLimit,
    anonymousRateLimit: config.anonymousRateLimit,
    rates: createRateStore(db),
    connections: { max: config.maxConnections, maxPerAddress: config.maxConnectionsPerAddress },
    https: config.publicUrl?.startsWith('https:') === true,
    log,
    metrics: adapters.metrics,
  });
  const { app, limitAnonymous } = server;
  if (localBlobs !== null) registerBlobRoute(app, localBlobs, limitAnonymous);
  registerPreviewRoute(app, services.exports, limitAnonymous);
  registerHostingRoutes(
    app,
    {
      token: config.hostingToken,
      sites: createSites({
        db,
        listener: adapters.listener,
        previewDomain: config.previewDomain ?? null,
        accessOf: services.readers.accessOf,
        readMeasured,
        readVisitorKeys: () => readVisitorKeys(db, new Date()),
      }),
      digestOf: async (id) => (await services.deployments.findServed(id)).sha256,
      bundleOf: async (id) => {
        const { organizationId, exportId } = await services.deployments.findServed(id);
        return services.exports.servedBundle(organizationId, exportId);
      },
    },
    limitAnonymous,
  );
  registerEventsRoute(app, { db, token: config.hostingToken }, limitAnonymous);
  registerAssistantRoutes(app, services.assistant, { token: config.hostingToken, limitAnonymous });
  registerSignInRoute(app, services.readers.signIn, { token: config.hostingToken, limitAnonymous });
  registerCertificateRoutes(
    app,
    {
      db,
      listener: adapters.listener,
      token: config.hostingToken,
      key: certificateKey(adapters.secret),
      domainKey: domainKey(adapters.secret),
      servesHost: async (host) => (await services.findServedSite(host)) !== undefined,
    },
    limitAnonymous,
  );
  registerSecurityTxt(app, { contacts: config.securityContact, origin: config.publicUrl });
  if (config.docsDir !== undefined) registerDocs(app, config.docsDir, limitAnonymous);
  if (config.dashboardDir !== undefined) registerStaticFiles(app, config.dashboardDir);
  await app.listen({ host: config.host, port: config.port });
  const url = config.publicUrl ?? localUrl(config.host, app.server.address() as AddressInfo);
  adapters.setPublicUrl(url);
  log.info({ url }, 'the API listens');
  return { url, services, drain: server.drain.start, close: () => app.close() };
}

/** An address of this machine that reaches the listener. */
function localUrl(host: string, { port }: AddressInfo): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
