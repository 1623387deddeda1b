import { expect, test } from 'vitest';
import { introduce } from './banner.ts';
import { createTalk } from './output.ts';

test('the command that resets the password names the data folder, so that it works in any folder', () => {
  const lines: string[] = [];
  introduce(
    { ...createTalk({ quiet: true }), say: (line) => void lines.push(line) },
    {
      dashboardUrl: 'http://127.0.0.1:1/',
      url: 'http://127.0.0.1:1',
      operatorEmail: 'ops@example.com',
      adminKey: 'key',
      projectId: 'prj_1',
      domain: 'docs.localhost',
      file: undefined,
      dataDir: '/srv/my data',
      databaseLog: null,
      isOnce: false,
    },
  );
  expect(lines.join('\n')).toMatch(
    /OFFPRINT_DATA_DIR='\/srv\/my data' .*admin user reset-password ops@example\.com$/m,
  );
});
