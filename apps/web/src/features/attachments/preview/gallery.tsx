/** Thumbnails of the picture files. */
import { t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { IconPhoto } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Attachment } from '@vestibule/contract/attachments';
import { useDeferredValue, useEffect, useEffectEvent, useRef, useState } from 'react';
import { describeFailure } from '../../../language/call-failure.ts';
import { formatSize } from '../../../language/formats.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, Failure, Loading } from '../../../ui/states.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import type { FetchPage } from '../../../ui/grid/grid-pages.ts';
import { cannotOpenReason, type OwnerFilter } from '../attachment-texts.ts';
import { Thumbnail } from './thumbnail.tsx';
import '../attachments.css';

const pageSize = 60;

export default function Gallery({
  owner,
  search: initialSearch,
  onSearch,
  fetchPage,
  onOpen,
}: {
  owner: OwnerFilter | null;
  /** Initial search text. */
  search: string;
  onSearch: (search: string) => void;
  fetchPage: FetchPage<Attachment>;
  onOpen: (file: Attachment) => void;
}) {
  const [typed, setTyped] = useState(initialSearch);
  const search = useDeferredValue(typed.trim());
  const end = useRef<HTMLDivElement>(null);
  const query = useInfiniteQuery({
    queryKey: ['attachments', 'gallery', owner, search],
    queryFn: async ({ pageParam, signal }) => {
      const page = {
        offset: pageParam,
        limit: pageSize,
        sort: { column: 'createdAt', direction: 'desc' as const },
        ...(search && { search }),
        filters: [
          { column: 'kind', is: 'oneOf' as const, values: ['picture'] },
          ...(owner ? [{ column: 'owner', is: 'oneOf' as const, values: [owner] }] : []),
        ],
      };
      const { rows, total, count } = await fetchPage(page, signal);
      return { rows, total: total ?? (await count?.()) };
    },
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.rows.length < pageSize ? undefined : all.length * pageSize),
    placeholderData: (before) => before,
    staleTime: 0,
  });
  const { hasNextPage, isFetching, isFetchNextPageError } = query;
  const more = useEffectEvent(() => void query.fetchNextPage());
  useEffect(() => {
    if (!end.current || !hasNextPage || isFetching || isFetchNextPageError) return undefined;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && more(), {
      rootMargin: '400px',
    });
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [hasNextPage, isFetching, isFetchNextPageError]);

  const files = query.data?.pages.flatMap(({ rows }) => rows) ?? [];
  const total = query.data?.pages[0]?.total;
  return (
    <section className="gallery stack" aria-label={t`Pictures`}>
      <div className="gallery-bar">
        <TextField
          type="search"
          label={t`Search the pictures`}
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            onSearch(currentTarget.value);
          }}
        />
        <output>{total !== undefined && <Plural value={total} one="# picture" other="# pictures" />}</output>
      </div>
      <Loading query={query} title={t`The pictures could not be loaded`} lines={8} />
      {query.isSuccess && files.length === 0 && (
        <EmptyState
          icon={<IconPhoto size={32} stroke={1.5} />}
          title={search ? t`No results for “${search}”` : t`There are no pictures here yet`}
        >
          {search ? t`Try fewer or different words.` : t`Drop some anywhere on this page.`}
        </EmptyState>
      )}
      {files.length > 0 && (
        <ul>
          {files.map((file) => (
            <li key={file.id}>
              <button type="button" onClick={() => onOpen(file)}>
                <Thumbnail file={file} />
                <span className="gallery-name one-line">{file.name}</span>
                <small>{cannotOpenReason(file) ? t`Cannot be opened` : formatSize(file.size)}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div ref={end}>
        {isFetchNextPageError && (
          <Failure
            title={t`Some pictures could not be loaded`}
            {...describeFailure(query.error)}
            onRetry={() => query.fetchNextPage()}
          />
        )}
        {hasNextPage && !isFetchNextPageError && (
          <Button busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {t`More pictures`}
          </Button>
        )}
      </div>
    </section>
  );
}
