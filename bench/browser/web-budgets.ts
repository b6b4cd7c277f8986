/** Reports the gzipped bundle sizes that `npm test` checks. */
import { measureBudgets } from '../../tools/checks/check-budgets.ts';
import { peers } from '../peers.ts';
import { atMost, figure, type Figure } from '../report.ts';

export async function measureWebBudgets(): Promise<Figure[]> {
  return (await measureBudgets()).map(({ name, kb, limitKb }, index) =>
    figure(
      name,
      kb,
      'kB',
      limitKb === undefined ? undefined : atMost(limitKb),
      index === 0 ? { others: peers.loginScript } : {},
    ),
  );
}
