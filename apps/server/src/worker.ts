import { join } from 'node:path';
import { startAccountSweeper } from './accounts/sweep.ts';
import type { Adapters } from './adapters.ts';
import { createDocsCheck } from './agent/check/child-check.ts';
import { connectFeedback, connectJob } from './agent/connect.ts';
import { createAgentKind } from './agent/job.ts';
import { startAgentSweeper } from './agent/sweep.ts';
import { createAnalyticsKind, createEventFileKind, startAnalyticsSweeper } from './analytics/service.ts';
import { readAssistantFiles, saveAssistantFiles, startAssistantSweeper } from './assistant/service.ts';
import { startAuditSweeper } from './audit/sweep.ts';
import { startScheduler } from './automation/service.ts';
import { createCertificateKind, startCertificateSweeper } from './certificates/service.ts';
import type { Config } from './config.ts';
import {
  createDeploymentTaskKind,
  type FeedbackAdapters,
  isOfFork,
  settleExport,
} from './deployments/service.ts';
import { startDeploymentSweeper } from './deployments/sweep.ts';
import { readFileOf } from './discovery/service.ts';
import { startDomainSweeper } from './domains/service.ts';
import { reportExports } from './exports/comparison.ts';
import { createImageStock } from './exports/images/image-stock.ts';
import { createExportKind } from './exports/job.ts';
import { recordServedExport } from './exports/link-record.ts';
import { createLookUp } from './exports/look-up.ts';
import { createPageStock } from './exports/page-stock.ts';
import { createProducer } from './exports/produce.ts';
import { createRemoteFetcher, type RemoteFetcher } from './exports/remote-fetch.ts';
import { createArtifactKind } from './exports/restore-artifact.ts';
import { createQueryRuns } from './exports/run-queries.ts';
import { findExportOfBundle } from './exports/store.ts';
import { createArtifactReader, createOpenExport } from './exports/stored-artifact.ts';
import { startSweeper } from './exports/sweep.ts';
import { createNotificationKind, startNotificationSweeper } from './notifications/service.ts';
import { PLAN_WEIGHTS } from './organizations/plan.ts';
import { hasSeveralOrganizations } from './organizations/store.ts';
import { openRemote } from './platform/git/open-remote.ts';
import { DEFAULT_GIT_LIMITS } from './platform/git/policy.ts';
import { startJobs } from './platform/jobs/worker.ts';
import { createGuardedFetch } from './platform/net/guarded-fetch.ts';
import { deriveKey } from './platform/secret.ts';
import { startReaderSweeper } from './readers/sweep.ts';
import { renderLimits } from './render-limits.ts';
import {
  agentKey,
  deployAdapters,
  mailerOf,
  mirrorDir,
  networkPolicy,
  notificationKey,
  orderAdapters,
  snapshotAdapters,
  verifyAdapters,
  workDir,
} from './services.ts';
import { openEventBucket } from './stored-files.ts';
import { createVectorsKind, queueVectorsOfExport, startVectorSweeper } from './vectors/service.ts';

const MEGABYTE = 1_000_000;

/** Lost artifacts rendered again at the same time, beside exports. */
const ARTIFACT_CONCURRENCY = 1;

/** Notifications sent at the same time: each waits for somebody else's server. */
const NOTIFICATION_CONCURRENCY = 16;
/** So that an endpoint that never responds delays only its own notifications. */
const NOTIFICATIONS_PER_RECIPIENT = 1;
/** Of one organization, of all workers. */
const MAX_RUNNING_NOTIFICATIONS = 8;
/** Tasks that follow deployments at the same time. */
const DEPLOYMENT_TASK_CONCURRENCY = 4;
/** Sites whose vectors are made at the same time: each waits for the endpoint of its team most of the time. */
const VECTORS_CONCURRENCY = 4;
/** Of one organization, of all workers. */
const VECTORS_OF_ORGANIZATION = 2;
/** Organizations whose events are added up at the same time. */
const ANALYTICS_CONCURRENCY = 2;
/** Files with events that are written at the same time; each takes memory for some parts of an upload. */
const EVENT_FILE_CONCURRENCY = 1;
/** Orders of certificates at the same time: they wait for the authority most of the time. */
const CERTIFICATE_CONCURRENCY = 8;

/** An agent reads the docs into memory and sends what it needs of them to a model: a smaller repository is enough. */
const AGENT_GIT_LIMITS = { transferBytes: 500 * MEGABYTE, timeoutMs: 5 * 60_000 };

export interface Worker {
  /** Claims nothing new, gives what runs `graceMs`, then gives it back. */
  stop(graceMs: number): Promise<void>;
}

/** Fetches under the rules of every other outbound request, https only, and keeps what it got for a day. */
function remoteFetcher(config: Config): RemoteFetcher {
  return createRemoteFetcher({
    policy: networkPolicy(config),
    cacheDir: join(config.dataDir, 'cache', 'remote'),
  });
}

/** Starts to work on exports and agent jobs. */
export async function startWorker(config: Config, adapters: Adapters): Promise<Worker> {
  const { db, blobs, log, metrics, sandbox } = adapters;
  const mirrors = config.agentRepositoryCacheMb === 0 ? null : mirrorDir(config);
  const stock = { blobs, log, isTrusted: async (id: string) => !(await isOfFork(db, id)) };
  const produce = createProducer({
    snapshot: { ...snapshotAdapters(config, adapters), mirrorDir: mirrors },
    sandbox,
    limits: renderLimits(config),
    remote: config.exportFetch === 'allow' ? remoteFetcher(config) : null,
    pages: createPageStock(stock),
    images: createImageStock(stock),
    keepFiles: async (exportId, root) => saveAssistantFiles(db, exportId, await readAssistantFiles(root)),
  });
  const exports = createExportKind({
    db,
    blobs,
    log,
    produce,
    async onEnd(tx, exportId) {
      await settleExport(tx, exportId);
      await queueVectorsOfExport(tx, exportId);
    },
  });
  const artifacts = createArtifactKind({ db, blobs, log, produce });
  const { credentialKey, policy } = snapshotAdapters(config, adapters);
  const lookUp = createLookUp(db);
  const runQueries = createQueryRuns({ sandbox, workDir: workDir(config), log });
  const openExport = createOpenExport(db, createArtifactReader(blobs));
  const feedback: FeedbackAdapters = {
    db,
    previewDomain: config.previewDomain ?? null,
    publicUrl: config.publicUrl ?? null,
    markerKey: deriveKey(adapters.secret, 'feedback'),
    openFeedback: (of) => connectFeedback({ db, config, key: agentKey(adapters.secret), credentialKey }, of),
    report: ({ organizationId, projectId, exportId: id, since }) =>
      reportExports(
        { db, blobs, lookUp, openExport, runQueries },
        { reach: { organizationId, projects: [projectId] }, id, since },
      ),
  };
  const deployments = createDeploymentTaskKind({
    ...feedback,
    log,
    recordLinks: (of) => recordServedExport({ db, blobs, lookUp, openExport }, of),
  });
  const vectors = createVectorsKind({
    db,
    blobs,
    log,
    config,
    key: agentKey(adapters.secret),
    async openFiles(organizationId, bundle) {
      const row = await findExportOfBundle(db, organizationId, bundle);
      return row === undefined ? null : readFileOf(await openExport(row));
    },
  });
  const agent = createAgentKind({
    db,
    log,
    mirrorDir: mirrors,
    credentialKey,
    gitPolicy: policy,
    gitLimits: { ...DEFAULT_GIT_LIMITS, ...AGENT_GIT_LIMITS },
    openRemote,
    check: createDocsCheck({ sandbox, workDir: workDir(config), log }),
    connect: (row, project) =>
      connectJob({ db, config, key: agentKey(adapters.secret), secret: adapters.secret }, row, project),
    limits: {
      steps: config.agentSteps,
      minutes: config.agentMinutes,
      inputTokens: config.agentTurnInputTokens,
      outputTokens: config.agentTurnOutputTokens,
      costUsd: config.agentCostUsd,
    },
  });
  const notifications = createNotificationKind({
    db,
    key: notificationKey(adapters.secret),
    fetch: createGuardedFetch({
      policy: networkPolicy(config),
      ...(config.caFile === undefined ? {} : { caFile: config.caFile }),
    }),
    mailer: mailerOf(config),
    publicUrl: config.publicUrl ?? null,
  });
  const notificationSweeper = startNotificationSweeper({ db, log, metrics });
  const agentSweeper = startAgentSweeper({
    db,
    log,
    metrics,
    mirrorDir: mirrorDir(config),
    mirrorBytes: config.agentRepositoryCacheMb * MEGABYTE,
    retentionDays: config.agentRetentionDays,
  });
  const accountSweeper = startAccountSweeper({ db, log, metrics });
  const readerSweeper = startReaderSweeper({ db, log, metrics });
  const assistantSweeper = startAssistantSweeper({
    db,
    log,
    metrics,
    retentionDays: config.assistantRetentionDays,
  });
  const auditSweeper = startAuditSweeper({ db, log, metrics, retentionDays: config.auditRetentionDays });
  const sweeper = startSweeper({
    db,
    blobs,
    log,
    metrics,
    idempotencyHours: config.idempotencyHours,
    retention: { days: config.exportRetentionDays, count: config.exportRetentionCount },
  });
  const eventBucket = await openEventBucket(config);
  const analyticsSweeper = startAnalyticsSweeper({
    db,
    log,
    metrics,
    retention: { eventDays: config.analyticsEventDays, days: config.analyticsDays },
    writesFiles: eventBucket !== null,
  });
  const deploymentSweeper = startDeploymentSweeper({ ...feedback, blobs, log, metrics });
  const vectorSweeper = startVectorSweeper({ db, blobs, log, metrics });
  const scheduler = startScheduler({
    db,
    log,
    metrics,
    ...deployAdapters(config),
  });
  const domainSweeper = startDomainSweeper({ ...verifyAdapters(config, adapters), metrics });
  const orders = orderAdapters(config, adapters);
  const certificateSweeper = orders === null ? null : startCertificateSweeper({ db, log, metrics });
  const isShared = () => hasSeveralOrganizations(db);
  const { hasRoom } = adapters.disk;
  const shared = { weights: PLAN_WEIGHTS, isShared };
  const jobs = startJobs(
    {
      db: adapters.jobsDb,
      listener: adapters.listener,
      worker: adapters.workerNumber,
      workDir: workDir(config),
      log,
      metrics,
    },
    [
      {
        ...shared,
        hasRoom,
        kind: exports,
        concurrency: config.exportConcurrency,
        organizationLimit: config.maxRunningExports,
        laneLimit: config.maxRunningExports,
      },
      {
        ...shared,
        hasRoom,
        kind: artifacts,
        concurrency: ARTIFACT_CONCURRENCY,
        organizationLimit: config.maxRunningExports,
        laneLimit: config.maxRunningExports,
      },
      {
        ...shared,
        kind: agent,
        concurrency: config.agentConcurrency,
        organizationLimit: config.maxRunningAgentJobs,
        laneLimit: config.agentProjectJobs,
      },
      {
        ...shared,
        kind: notifications,
        concurrency: NOTIFICATION_CONCURRENCY,
        organizationLimit: MAX_RUNNING_NOTIFICATIONS,
        laneLimit: NOTIFICATIONS_PER_RECIPIENT,
      },
      {
        ...shared,
        kind: deployments,
        concurrency: DEPLOYMENT_TASK_CONCURRENCY,
        organizationLimit: DEPLOYMENT_TASK_CONCURRENCY,
        laneLimit: 1,
      },
      {
        ...shared,
        kind: vectors,
        concurrency: VECTORS_CONCURRENCY,
        organizationLimit: VECTORS_OF_ORGANIZATION,
        laneLimit: 1,
      },
      {
        ...shared,
        kind: createAnalyticsKind({ db }),
        concurrency: ANALYTICS_CONCURRENCY,
        organizationLimit: 1,
        laneLimit: 1,
      },
      ...(eventBucket === null
        ? []
        : [
            {
              ...shared,
              kind: createEventFileKind({ db, bucket: eventBucket }),
              concurrency: EVENT_FILE_CONCURRENCY,
              organizationLimit: EVENT_FILE_CONCURRENCY,
              laneLimit: EVENT_FILE_CONCURRENCY,
            },
          ]),
      ...(orders === null
        ? []
        : [
            {
              ...shared,
              kind: createCertificateKind(orders),
              concurrency: CERTIFICATE_CONCURRENCY,
              organizationLimit: CERTIFICATE_CONCURRENCY,
              laneLimit: CERTIFICATE_CONCURRENCY,
            },
          ]),
    ],
  );
  log.info(
    {
      worker: adapters.workerNumber,
      exports: config.exportConcurrency,
      agentJobs: config.agentConcurrency,
    },
    'the worker processes exports and agent jobs',
  );
  return {
    async stop(graceMs) {
      await Promise.all([
        scheduler.stop(),
        sweeper.stop(),
        analyticsSweeper.stop(),
        deploymentSweeper.stop(),
        vectorSweeper.stop(),
        readerSweeper.stop(),
        agentSweeper.stop(),
        assistantSweeper.stop(),
        auditSweeper.stop(),
        accountSweeper.stop(),
        notificationSweeper.stop(),
        domainSweeper.stop(),
        certificateSweeper?.stop(),
      ]);
      await jobs.stop(graceMs);
      eventBucket?.close();
    },
  };
}
