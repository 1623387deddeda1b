import { join } from 'node:path';
import type { FeatureName } from '@offprint/contract';
import type { WantedServices } from '@offprint/render';
import {
  type AccountService,
  createAccountService,
  createProvider,
  createSingleSignOn,
  noSingleSignOn,
  type SingleSignOn,
} from './accounts/service.ts';
import type { Adapters } from './adapters.ts';
import { type AgentService, createAgentService, openProjectModel } from './agent/service.ts';
import {
  type AssistantService,
  createAssistantService,
  createReleaseKnowledge,
} from './assistant/service.ts';
import type { Quotas } from './audit/service.ts';
import { type AutomationService, createAutomationService } from './automation/service.ts';
import { createCertificatePort, type OrderAdapters } from './certificates/service.ts';
import type { Config } from './config.ts';
import {
  createDeploymentService,
  type DeployAdapters,
  type DeploymentService,
  findServedSite,
  queueVariantsOf,
  servedVariants,
} from './deployments/service.ts';
import { createDiscoveryService, type DiscoveryService } from './discovery/service.ts';
import {
  createDomainService,
  type DomainService,
  noCertificates,
  type VerifyAdapters,
} from './domains/service.ts';
import { createPathCheck } from './exports/path-check.ts';
import { createQueryRuns } from './exports/run-queries.ts';
import { createExportService, type ExportService } from './exports/service.ts';
import { createKeyService, type KeyService } from './keys/service.ts';
import { createNotificationService, type NotificationService } from './notifications/service.ts';
import { DOCS_PATH } from './platform/http/docs-site.ts';
import { AppError } from './platform/http/error.ts';
import { createRateStore } from './platform/http/shared-rate-limit.ts';
import { createMailer, type Mailer } from './platform/mail.ts';
import { createGuardedFetch } from './platform/net/guarded-fetch.ts';
import { isAllowedHost, type NetworkPolicy } from './platform/net/host.ts';
import { createResolver } from './platform/net/resolver.ts';
import { deriveKey } from './platform/secret.ts';
import {
  createConnectionTest,
  createProjectService,
  type ProjectRow,
  type ProjectService,
  readFeatureFault,
  type SnapshotAdapters,
  type TestConnection,
} from './projects/service.ts';
import { createReaderService, type FindSite, type ReaderService } from './readers/service.ts';
import { createNearness } from './vectors/service.ts';

const MEGABYTE = 1_000_000;
const HOUR_MS = 3_600_000;

export interface Services {
  accounts: AccountService;
  singleSignOn: SingleSignOn;
  keys: KeyService;
  projects: ProjectService;
  testConnection: TestConnection;
  exports: ExportService;
  deployments: DeploymentService;
  discovery: DiscoveryService;
  agent: AgentService;
  assistant: AssistantService;
  automation: AutomationService;
  notifications: NotificationService;
  readers: ReaderService;
  findServedSite: FindSite;
  domains: DomainService;
}

/** The features on the adapters of a process, as the API and the first start use them. */
export function createServices(config: Config, adapters: Adapters): Services {
  const { db, blobs, log } = adapters;
  const exports = createExportService({
    db,
    blobs,
    listener: adapters.listener,
    log,
    findUnknownPath: createPathCheck({
      snapshot: snapshotAdapters(config, adapters),
      sandbox: adapters.sandbox,
      workDir: workDir(config),
      log,
      canFetch: config.exportFetch === 'allow',
    }),
    runQueries: createQueryRuns({ sandbox: adapters.sandbox, workDir: workDir(config), log }),
    maxActiveExports: config.maxActiveExports,
    quotas: quotasOf(config),
    idempotencyHours: config.idempotencyHours,
    answerKey: deriveKey(adapters.secret, 'answers'),
    preview: {
      key: deriveKey(adapters.secret, 'previews'),
      url: () => config.previewUrl ?? adapters.publicUrl(),
    },
  });
  const readers = readersOf(config, adapters);
  const deployments = createDeploymentService({
    db,
    exports,
    ...deployAdapters(config),
    idempotencyHours: config.idempotencyHours,
  });
  const discovery = createDiscoveryService({
    db,
    log,
    findServedSite: servedSiteOf(config, adapters),
    findServed: deployments.findServed,
    accessOf: readers.accessOf,
    openArtifact: exports.openArtifact,
    openBundle: exports.openBundle,
    variantsOf: async (siteId) => (await servedVariants(db)).get(siteId) ?? [],
    compareSections: createNearness({
      db,
      blobs,
      log,
      metrics: adapters.metrics,
      config,
      key: agentKey(adapters.secret),
    }),
  });
  return {
    accounts: createAccountService({
      db,
      log,
      mailer: mailerOf(config),
      publicUrl: adapters.publicUrl,
      lockOutKey: deriveKey(adapters.secret, 'sign-in-failures'),
      rules: {
        signUp: config.signUp,
        passwords: config.passwords,
        sessionDays: config.sessionDays,
        singleSignOn: config.oidcIssuer === undefined ? null : { name: config.oidcName },
        docsUrl: config.docsUrl ?? (config.docsDir === undefined ? null : DOCS_PATH),
      },
    }),
    singleSignOn: singleSignOnOf(config, adapters),
    keys: createKeyService({
      db,
      log,
      pepper: deriveKey(adapters.secret, 'api-keys'),
      keysPerHour: config.keysPerHour,
      idempotencyHours: config.idempotencyHours,
      answerKey: deriveKey(adapters.secret, 'answers'),
    }),
    projects: createProjectService({
      db,
      blobs,
      sourceRules: {
        folderRoot: config.allowFolderSources,
        allowHttp: config.allowHttpGitHosts,
        key: credentialKey(adapters.secret),
      },
      workDir: workDir(config),
      uploadLimits: {
        archiveBytes: config.maxUploadMb * MEGABYTE,
        sourceBytes: config.maxSourceMb * MEGABYTE,
      },
      idempotencyHours: config.idempotencyHours,
      ...featureAdapters(config),
      modelFault: (row) => modelFaultOf(config, adapters, row),
    }),
    testConnection: createConnectionTest({
      db,
      log,
      sandbox: adapters.sandbox,
      workDir: workDir(config),
      credentialKey: credentialKey(adapters.secret),
      policy: snapshotAdapters(config, adapters).policy,
      rates: createRateStore(db),
    }),
    exports,
    deployments,
    discovery,
    agent: createAgentService({
      db,
      listener: adapters.listener,
      models: { config, key: agentKey(adapters.secret) },
      usesPerHour: config.agentUsesPerHour,
      quotas: quotasOf(config),
      retentionDays: config.agentRetentionDays,
      idempotencyHours: config.idempotencyHours,
    }),
    assistant: createAssistantService({
      db,
      log,
      models: { config, key: agentKey(adapters.secret) },
      openKnowledge: createReleaseKnowledge(discovery),
      findSite: servedSiteOf(config, adapters),
      featureFault: (project) => readFeatureFault(db, project, 'assistant', featureAdapters(config)),
      key: deriveKey(adapters.secret, 'assistant'),
      daily: { reader: config.assistantReaderTokens, site: config.assistantSiteTokens },
      answer: { steps: config.assistantSteps, tokens: config.assistantAnswerTokens },
      freeQuestions: config.assistantFreeQuestions,
    }),
    automation: createAutomationService({
      db,
      ...deployAdapters(config),
      key: deriveKey(adapters.secret, 'webhooks'),
      publicUrl: adapters.publicUrl,
    }),
    readers,
    findServedSite: servedSiteOf(config, adapters),
    notifications: createNotificationService({
      db,
      key: notificationKey(adapters.secret),
      sendsMail: config.smtpUrl !== undefined,
      isHttpAllowed: (hostname) => isAllowedHost(hostname, networkPolicy(config)),
    }),
    domains: createDomainService({
      ...verifyAdapters(config, adapters),
      ownHosts: () => ownHosts(config, adapters),
      servesSites: config.hostingToken !== undefined,
      certificates: config.acmeDirectory === undefined ? noCertificates : createCertificatePort(db),
    }),
  };
}

/** Which hosts URLs of tenants may name. */
export function networkPolicy(config: Config): NetworkPolicy {
  return {
    allowPrivate: config.allowPrivateHosts.includes('*'),
    allowedHosts: config.allowPrivateHosts,
  };
}

/** Signs readers of sites in. Providers of projects may be on private networks only where the operator allows it. */
function readersOf(config: Config, { db, log, secret, publicUrl }: Adapters): ReaderService {
  const { allowPrivateHosts: allowedHosts } = config;
  const policy = { allowPrivate: allowedHosts.includes('*'), allowedHosts };
  const caFile = config.caFile === undefined ? {} : { caFile: config.caFile };
  return createReaderService({
    db,
    log,
    key: deriveKey(secret, 'readers'),
    fetch: createGuardedFetch({ policy, maxBytes: MEGABYTE, ...caFile }),
    allowedHosts,
    publicUrl,
    rates: createRateStore(db),
    findSite: servedSiteOf(config, { db }),
    onNewGroups: (site) => queueVariantsOf(db, site),
  });
}

function servedSiteOf(config: Config, { db }: Pick<Adapters, 'db'>) {
  return (host: string) => findServedSite({ db, previewDomain: config.previewDomain ?? null }, host);
}

/** What checks of domains need, in the API and in workers. */
export function verifyAdapters(config: Config, { db, log, secret }: Adapters): VerifyAdapters {
  const resolver = createResolver(config.dnsServers);
  return {
    db,
    log,
    key: domainKey(secret),
    graceMs: config.domainGraceHours * HOUR_MS,
    mayTrust: config.domainVerification === 'off',
    siteTarget: config.siteTarget ?? null,
    resolver,
    fetch: createGuardedFetch({
      policy: {
        allowPrivate: config.allowPrivateHosts.includes('*'),
        allowedHosts: config.allowPrivateHosts,
        allowHttp: true,
      },
      lookup: resolver.lookup,
    }),
  };
}

/** Hosts that no organization can claim. */
function ownHosts(config: Config, { publicUrl }: Adapters): string[] {
  const urls = [publicUrl(), config.previewUrl].filter((url) => url !== undefined);
  const previews = config.previewDomain === undefined ? [] : [config.previewDomain];
  return [...urls.map((url) => new URL(url).hostname), ...previews];
}

/** What orders of certificates need; null if none are obtained. */
export function orderAdapters(config: Config, { db, log, secret }: Adapters): OrderAdapters | null {
  const { acmeDirectory: directory, acmeKeyId: keyId, acmeMacKey: macKey } = config;
  if (directory === undefined) return null;
  const caFile = config.acmeCaFile ?? config.caFile;
  return {
    db,
    log,
    key: certificateKey(secret),
    challenge: config.acmeChallenge,
    authority: {
      directory,
      email: config.acmeEmail ?? null,
      externalAccount: keyId === undefined || macKey === undefined ? null : { keyId, macKey },
      fetch: createGuardedFetch({
        policy: {
          allowPrivate: config.allowPrivateHosts.includes('*'),
          // The operator has named the authority, wherever it is.
          allowedHosts: [...config.allowPrivateHosts, new URL(directory).hostname],
        },
        maxBytes: MEGABYTE,
        ...(caFile === undefined ? {} : { caFile }),
      }),
    },
  };
}

/** Seals keys of certificates and of accounts at certificate authorities. */
export function certificateKey(secret: string): Buffer {
  return deriveKey(secret, 'certificates');
}

/** Key of the proofs of domains. */
export function domainKey(secret: string): Buffer {
  return deriveKey(secret, 'domains');
}

/** Speaks to the provider of single sign-on, whose host the operator has named; its other hosts must be public. */
function singleSignOnOf(config: Config, { db, log, secret, publicUrl }: Adapters): SingleSignOn {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (issuer === undefined || clientId === undefined) return noSingleSignOn;
  const policy = {
    allowPrivate: config.allowPrivateHosts.includes('*'),
    allowedHosts: [...config.allowPrivateHosts, new URL(issuer).hostname],
  };
  const caFile = config.caFile === undefined ? {} : { caFile: config.caFile };
  const fetch = createGuardedFetch({ policy, maxBytes: MEGABYTE, ...caFile });
  return createSingleSignOn({
    db,
    log,
    provider: createProvider({ issuer, clientId, clientSecret: config.oidcClientSecret, fetch }),
    key: deriveKey(secret, 'single-sign-on'),
    publicUrl,
    sessionDays: config.sessionDays,
    stepsPerMinute: config.anonymousRateLimit,
    rates: createRateStore(db),
    rules: { signUp: config.signUp, domains: config.oidcDomains.map((domain) => domain.toLowerCase()) },
  });
}

/** Sends mail where a server for it is configured. */
export function mailerOf(config: Config): Mailer | null {
  if (config.smtpUrl === undefined) return null;
  return createMailer({ url: config.smtpUrl, from: config.mailFrom, caFile: config.caFile });
}

/** Why a project has no model; null if it has one. */
async function modelFaultOf(
  config: Config,
  { db, secret }: Adapters,
  row: ProjectRow,
): Promise<string | null> {
  const model = await openProjectModel(db, { config, key: agentKey(secret) }, row, null);
  return model instanceof AppError ? model.message : null;
}

/** What the installation provides for the features of projects. */
export function featureAdapters({ features, hostingToken }: Config) {
  const services: FeatureName[] = hostingToken === undefined ? [] : ['analytics', 'assistant', 'search'];
  return { providedFeatures: new Set(features), services: new Set(services) };
}

/** Services of this installation that pages of deployments use. */
export function servedServices({ hostingToken }: Config): WantedServices {
  return hostingToken === undefined ? {} : { analytics: true, assistant: true, mcp: true };
}

/** What deploying a site needs. */
export function deployAdapters(config: Config): DeployAdapters {
  return {
    maxActiveExports: config.maxActiveExports,
    quotas: quotasOf(config),
    previewDomain: config.previewDomain ?? null,
    services: servedServices(config),
    hasModel: config.agentProvider !== undefined && config.agentModel !== undefined,
  };
}

/** What plans allow one organization. */
export function quotasOf(config: Config): Quotas {
  return {
    dailyExports: config.quotaDailyExports,
    dailyAgentJobs: config.quotaDailyAgentJobs,
    storageMb: config.quotaStorageMb,
  };
}

/** What reading the source of a project needs. */
export function snapshotAdapters(config: Config, { db, blobs, secret }: Adapters): SnapshotAdapters {
  return {
    db,
    blobs,
    credentialKey: credentialKey(secret),
    folderRoot: config.allowFolderSources,
    sourceBytes: config.maxSourceMb * MEGABYTE,
    // only workers delete old mirrors
    mirrorDir: null,
    providedFeatures: new Set(config.features),
    policy: {
      allowPrivate: config.allowPrivateHosts.includes('*'),
      allowedHosts: config.allowPrivateHosts,
      allowHttp: config.allowHttpGitHosts,
      knownHostsFile: join(config.dataDir, 'known_hosts'),
      ...(config.caFile === undefined ? {} : { caFile: config.caFile }),
    },
  };
}

/** Seals the credentials of projects. */
function credentialKey(secret: string): Buffer {
  return deriveKey(secret, 'credentials');
}

/** Seals the keys of models and forges that projects set. */
export function agentKey(secret: string): Buffer {
  return deriveKey(secret, 'agent');
}

/** Seals URLs and secrets of webhook endpoints. */
export function notificationKey(secret: string): Buffer {
  return deriveKey(secret, 'notifications');
}

/** Folder of what agent jobs and exports have fetched of repositories. Everything in it can be fetched again. */
export function mirrorDir(config: Config): string {
  return join(config.dataDir, 'cache', 'repositories');
}

/** Folder of what is being worked on; nothing in it outlives its attempt. */
export function workDir(config: Config): string {
  return join(config.dataDir, 'work');
}
