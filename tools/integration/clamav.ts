/**
 * `node tools/integration/clamav.ts`: tests a site with the daemon of ClamAV (apt-get install clamav-daemon) and one signature,
 * the EICAR test file. Kills and restarts the daemon during scans.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from '../../bench/harness/process.ts';
import { startSite } from '../../packages/testing/src/site.ts';
import { findFreePorts } from '../../packages/testing/src/start-server.ts';
import { answers, report, runTest } from './fixture.ts';

const largestBytes = 8 * 1024 * 1024;
/** Maximum size of a file that clamd scans. It accepts files up to `largestBytes`, but reports those above this size as too large. */
const scannedBytes = 4 * 1024 * 1024;
const timeoutMs = 90_000;
/** EICAR test file: harmless, but every scanner reports it. Split so that scanners ignore this source. */
const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);

function startClamd(directory: string, port: number) {
  const signatures = path.join(directory, 'signatures');
  mkdirSync(signatures, { recursive: true });
  const digest = createHash('md5').update(eicar).digest('hex');
  writeFileSync(path.join(signatures, 'trial.hdb'), `${digest}:${eicar.length}:Eicar-Test-Signature\n`);
  const file = path.join(directory, 'clamd.conf');
  writeFileSync(
    file,
    `Foreground yes
User root
TCPAddr 127.0.0.1
TCPSocket ${port}
DatabaseDirectory ${signatures}
TemporaryDirectory ${directory}
StreamMaxLength ${largestBytes}
MaxFileSize ${scannedBytes}
MaxScanSize ${scannedBytes}
AlertExceedsMax yes
`,
  );
  return startChild('clamd', ['--config-file', file], () => answers(port));
}

await runTest(async (directory, cleanup) => {
  const { web: port } = await findFreePorts();
  const clamd = await startClamd(directory, port);
  cleanup.defer(async () => void (await clamd.stop()));
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

  const clean = await settled(await upload('clean.txt', Buffer.from('nothing wrong with this')));
  assert.deepEqual([clean['status'], clean['virus']], ['ready', null]);
  const infected = await settled(await upload('eicar.txt', eicar));
  assert.equal(infected['status'], 'quarantined');
  assert.match(String(infected['virus']), /^Eicar-Test-Signature/);
  report('a clean file: ready; the EICAR test file: quarantined');

  for (const bytes of [scannedBytes, largestBytes]) {
    const tooLarge = await settled(await upload(`beyond-${bytes}.bin`, Buffer.alloc(bytes + 1, 7)));
    assert.equal(tooLarge['status'], 'quarantined');
    assert.equal(tooLarge['virus'], 'Too large for the virus scanner');
  }
  report('files beyond MaxFileSize and StreamMaxLength: quarantined without a scan');

  const waiting: string[] = [];
  for (let number = 0; number < 20; number += 1) {
    waiting.push(await upload(`waiting-${number}.txt`, number % 2 ? Buffer.from(`file ${number}`) : eicar));
    if (number === 5) await clamd.stop('SIGKILL');
  }
  const late = await Promise.all(waiting.slice(6).map(get));
  assert.ok(late.every(({ status, may }) => status === 'scanning' && !(may as { open: boolean }).open));
  report('the daemon killed (SIGKILL) among 20 uploads: all are accepted, unscanned files cannot be opened');
  const restarted = await startClamd(directory, port);
  cleanup.defer(async () => void (await restarted.stop()));
  const found = await Promise.all(waiting.map(settled));
  assert.deepEqual(
    found.map(({ status }) => status),
    waiting.map((_, number) => (number % 2 ? 'ready' : 'quarantined')),
  );
  report('after its restart: all 20 are scanned correctly');
});
