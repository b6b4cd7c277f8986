/** The server's memory: after its start, and the most it took under load, that of earlier measurements included. */
import type { Figure } from './figure.ts';
import { measureInvite } from './invite.ts';
import { peers } from './peers.ts';
import { measureRedeem } from './redeem.ts';
import { runOnStage, type Stage } from './stage.ts';
import { measureWhoAmI } from './who-am-i.ts';

export async function measureMemory(stage: Stage): Promise<Figure[]> {
  for (const load of [measureWhoAmI, measureInvite, measureRedeem]) await load(stage);
  const { afterStart, peak } = stage.memory;
  return [
    {
      name: 'server memory after start',
      measured: afterStart,
      unit: 'MB',
      limit: { at: 'most', value: 150 },
    },
    {
      name: 'server memory under load, at most',
      measured: peak,
      unit: 'MB',
      limit: { at: 'most', value: 300 },
      peers: peers.memory,
    },
  ];
}

if (import.meta.main) await runOnStage(measureMemory);
