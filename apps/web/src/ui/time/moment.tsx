import { formatMoment } from '../../language/formats.ts';
import { keepRenewed, nearnessNow, relativeNow } from './time-element.ts';

/** A moment where React draws: "2 hours ago", with the moment itself under the pointer and for screen readers. ISO 8601. `ends` as of `timeElement`. */
export function Moment({ at, ends = false }: { at: string; ends?: boolean }) {
  return (
    <time
      className="moment"
      dateTime={at}
      title={formatMoment(at)}
      data-ends={ends ? nearnessNow(at) : undefined}
      ref={keepRenewed}
    >
      {relativeNow(at)}
    </time>
  );
}
