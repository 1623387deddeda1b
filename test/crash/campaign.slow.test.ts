/**
 * Kills of workers, APIs, render children, the embedded database and its guard, with exports and agent jobs mixed and files in
 * the double of an S3 store. OFFPRINT_TEST=full kills 400 processes; `campaign/campaign.ts` runs by hand, against a real store.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasOpenssl } from '../support/certificate.ts';
import { startS3Double } from '../support/s3/double.ts';
import { isFull } from '../support/size.ts';
import { describeReport, runCampaign } from './campaign/campaign.ts';

const KILLS = isFull ? 400 : 40;
const seed = Number(process.env.OFFPRINT_TEST_SEED ?? Date.now() % 2 ** 31);

test.skipIf(!hasOpenssl)(
  hasOpenssl
    ? `${KILLS} kills of all kinds lose, duplicate and change nothing (seed ${seed})`
    : 'kills of all kinds: no openssl to make a certificate',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'offprint-campaign-test-'));
    const double = await startS3Double();
    const { url: endpoint, region, bucket, identity: credentials } = double;
    const { report } = await runCampaign({
      kills: KILLS,
      seconds: isFull ? 1_500 : 120,
      seed,
      pauseMs: 900,
      store: { endpoint, region, bucket, credentials },
      folder,
      workers: 2,
      exports: 3,
      agentJobs: 1,
    });
    await double.close();
    await rm(folder, { recursive: true });
    expect(report.findings, describeReport(report)).toEqual([]);
    expect(report.kills.total, describeReport(report)).toBeGreaterThanOrEqual(KILLS / 2);
  },
  1_800_000,
);
