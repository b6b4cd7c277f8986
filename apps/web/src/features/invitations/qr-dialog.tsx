/** QR code of an invitation link, to be printed or saved. */
import { routeHere } from '../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getInvitationLink, type Invitation } from '@vestibule/contract/invitations';
import { formatEnd } from '../../language/formats.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { Address } from '../../ui/person/person.tsx';
import { Loading } from '../../ui/states.tsx';
import { saveFile } from '../../ui/save-file.ts';
import './invitations.css';
import { encode } from 'uqr';

export default function QrDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { id, email, expiresAt } = invitation;
  const query = useQuery({
    queryKey: ['invitation-link', id],
    // Each request for a link is recorded in the activity log, so it is fetched only once.
    queryFn: () => call(routeHere(getInvitationLink), { params: { invitationId: id } }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const link = query.data?.link;
  const code = link === undefined ? null : drawQrCode(link);
  return (
    <Dialog
      title={t`QR code of the invitation`}
      width={560}
      onClose={onClose}
      actions={
        <>
          {code && (
            <>
              <Button onClick={() => saveFile(qrCodeAsSvg(code), `invitation-${email}.svg`)}>
                {t`SVG file`}
              </Button>
              <Button onClick={async () => saveFile(await qrCodeAsPng(code), `invitation-${email}.png`)}>
                {t`PNG file`}
              </Button>
              <Button onClick={() => window.print()}>{t`Print`}</Button>
            </>
          )}
          <CloseAction onClose={onClose} />
        </>
      }
    >
      {code ? (
        <figure className="qr">
          <svg
            // The link is shown as text below.
            aria-hidden="true"
            viewBox={`0 0 ${code.size} ${code.size}`}
            shapeRendering="crispEdges"
          >
            <path d={code.path} fill="#000" />
          </svg>
          <figcaption>
            <Trans>
              For <Address of={email} /> until {formatEnd(expiresAt)}
            </Trans>
          </figcaption>
          <code>{link}</code>
        </figure>
      ) : (
        <Loading query={query} title={t`There is no QR code for this invitation`} lines={6} />
      )}
    </Dialog>
  );
}

/** Width of the quiet zone in modules (ISO/IEC 18004). */
const border = 4;
const pngPixels = 1_024;

type QrCode = { size: number; path: string };

export function drawQrCode(text: string): QrCode {
  const { data, size } = encode(text, { border, ecc: 'M' });
  let path = '';
  for (const [y, row] of data.entries())
    for (const [x, dark] of row.entries()) if (dark) path += `M${x} ${y}h1v1h-1z`;
  return { size, path };
}

export function qrCodeAsSvg({ size, path }: QrCode): Blob {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
  return new Blob([svg], { type: 'image/svg+xml' });
}

async function qrCodeAsPng({ size, path }: QrCode): Promise<Blob> {
  const square = Math.floor(pngPixels / size);
  const canvas = new OffscreenCanvas(size * square, size * square);
  const drawing = canvas.getContext('2d');
  if (!drawing) throw new Error('This browser draws nothing.');
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  drawing.fillStyle = '#000';
  drawing.scale(square, square);
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- this is a canvas context, not an array
  drawing.fill(new Path2D(path));
  return canvas.convertToBlob({ type: 'image/png' });
}
