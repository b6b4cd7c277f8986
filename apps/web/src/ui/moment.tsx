import { formatMoment } from '../language/formats.ts';
import { keepRenewed, relativeNow } from './time-element.ts';

/** A moment where React draws: "2 hours ago", with the moment itself under the pointer. ISO 8601. */
export function Moment({ at }: { at: string }) {
  return (
    <time className="moment" dateTime={at} title={formatMoment(at)} ref={keepRenewed}>
      {relativeNow(at)}
    </time>
  );
}
