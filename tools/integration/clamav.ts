/**
 * `node tools/integration/clamav.ts`: tests a site with the daemon of ClamAV (apt-get install clamav-daemon) and one signature,
 * the EICAR test file. Kills and restarts the daemon during scans.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSite } from '../../e2e/fixtures/site.ts';
import { findFreePorts } from '../../e2e/fixtures/start-server.ts';
import { answers, run, startProgram } from './run-program.ts';
import { eicar, writeClamdConfig } from './services/clamav.ts';
import { withTemporaryDirectory, report } from './fixture.ts';

const largestBytes = 8 * 1024 * 1024;
/** Bytes that clamd scans of a file it accepts. */
const scannedBytes = 4 * 1024 * 1024;
const timeoutMs = 90_000;

async function startClamd(directory: string, port: number) {
  writeClamdConfig(directory, {
    host: '127.0.0.1',
    port,
    more: [
      `TemporaryDirectory ${directory}`,
      `StreamMaxLength ${largestBytes}`,
      `MaxFileSize ${scannedBytes}`,
      `MaxScanSize ${scannedBytes}`,
      'AlertExceedsMax yes',
    ],
  });
  return startProgram('clamd', ['--config-file', path.join(directory, 'clamd.conf')], () => answers(port));
}

async function testClamav(directory: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const { web: port } = await findFreePorts();
  const clamd = await startClamd(directory, port);
  cleanup.defer(() => clamd.end());
  const site = await startSite({ env: { CLAMD_URL: `tcp://127.0.0.1:${port}` } });
  cleanup.defer(() => site.stop());
  const { administrator } = site;

  const upload = (name: string, contents: Buffer) =>
    site.upload(administrator, { name, type: 'text/plain', contents });
  const get = async (id: string) => (await site.call(administrator, 'GET', `/api/attachments/${id}`)).answer;
  async function settled(id: string) {
    for (const deadline = Date.now() + timeoutMs; ; await delay(50)) {
      const file = await get(id);
      if (file['status'] !== 'scanning') return file;
      assert.ok(Date.now() < deadline, `${String(file['name'])} is still not scanned`);
    }
  }

  const startedAt = performance.now();
  const clean = await settled(await upload('clean.txt', Buffer.from('nothing wrong with this')));
  assert.deepEqual([clean['status'], clean['virus']], ['ready', null]);
  report(`a clean file: ready ${Math.round(performance.now() - startedAt)} ms after the upload started`);

  const infected = await settled(await upload('eicar.txt', eicar));
  assert.equal(infected['status'], 'quarantined');
  assert.match(String(infected['virus']), /^Eicar-Test-Signature/);
  report(`EICAR's test file: quarantined as ${String(infected['virus'])}`);

  for (const [limit, bytes] of Object.entries({
    MaxFileSize: scannedBytes,
    StreamMaxLength: largestBytes,
  })) {
    const tooLarge = await settled(await upload(`beyond-${limit}.bin`, Buffer.alloc(bytes + 1, 7)));
    assert.deepEqual(
      [tooLarge['status'], tooLarge['virus']],
      ['quarantined', 'Too large for the virus scanner'],
    );
    report(`a file beyond ${limit}: quarantined without a scan`);
  }

  const waiting: string[] = [];
  for (let number = 0; number < 20; number += 1) {
    waiting.push(await upload(`waiting-${number}.txt`, number % 2 ? Buffer.from(`file ${number}`) : eicar));
    if (number === 5) await clamd.end('SIGKILL');
  }
  const late = await Promise.all(waiting.slice(6).map(get));
  assert.ok(late.every(({ status, may }) => status === 'scanning' && !(may as { open: boolean }).open));
  report('the daemon killed (SIGKILL) among 20 uploads: all are accepted, unscanned files cannot be cleanup');
  const back = await startClamd(directory, port);
  cleanup.defer(() => back.end());
  const backAt = performance.now();
  const found = await Promise.all(waiting.map(settled));
  assert.deepEqual(
    found.map(({ status }) => status),
    waiting.map((_, number) => (number % 2 ? 'ready' : 'quarantined')),
  );
  report(
    `after its restart: all 20 are scanned correctly within ${Math.round((performance.now() - backAt) / 1000)} s`,
  );
}

report(run('clamd', ['--version']).trim());
await withTemporaryDirectory('clamav', testClamav);
