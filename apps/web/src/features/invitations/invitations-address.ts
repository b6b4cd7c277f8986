import { isId } from '../../lib/is-id.ts';
import { readGridAddress, type GridAddress } from '../../ui/grid/grid-address.ts';

/** `show` opens the side panel, `batch` filters by import, `invite` opens the dialog. */
export type InvitationsAddress = GridAddress & {
  show?: string | undefined;
  batch?: string | undefined;
  invite?: true | undefined;
};

export const readInvitationsAddress = ({
  show,
  batch,
  invite,
  ...search
}: Record<string, unknown>): InvitationsAddress => ({
  show: isId(show) ? show : undefined,
  batch: isId(batch) ? batch : undefined,
  invite: invite === true || undefined,
  ...readGridAddress(search),
});
