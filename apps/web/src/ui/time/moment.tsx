import { formatMoment } from '../../language/formats.ts';
import { startUpdates, nearnessNow, relativeNow } from './time-element.ts';

/** React version of `timeElement`: relative time of an ISO 8601 time. */
export function Moment({ at, ends = false }: { at: string; ends?: boolean }) {
  return (
    <time
      className="moment"
      dateTime={at}
      title={formatMoment(at)}
      data-ends={ends ? nearnessNow(at) : undefined}
      ref={startUpdates}
    >
      {relativeNow(at)}
    </time>
  );
}
