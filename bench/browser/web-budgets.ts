/** Reports the gzipped bundle sizes that `npm test` checks. */
import path from 'node:path';
import { measureBudgets } from '../../tools/checks/check-budgets.ts';
import { root } from '../harness/child-process.ts';
import { printFigures, type Figure } from '../report/figure.ts';
import { peers } from '../report/peers.ts';

export async function measureWebBudgets(): Promise<Figure[]> {
  const weights = await measureBudgets(path.join(root, 'apps', 'web', 'dist'));
  return weights.map(({ name, kb, limitKb }, index) => ({
    name,
    measured: kb,
    unit: 'kB',
    ...(limitKb !== undefined && { limit: { at: 'most', value: limitKb } as const }),
    ...(index === 0 && { peers: peers.loginScript }),
  }));
}

if (import.meta.main) printFigures(await measureWebBudgets());
