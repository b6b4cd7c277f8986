import { createContext, use, useEffect, type ReactNode } from 'react';
import { PageTitleContext, pageTitleId, setPageTitle } from './page-title.ts';
import './page.css';

/** Common part of several screens: content above their heading, and a title that follows theirs. */
const SurroundingsContext = createContext<{ above: ReactNode; title: string } | null>(null);
export const PageSurroundings = SurroundingsContext.Provider;

/** Screen with heading, actions and content. The heading is also the page title. */
export function Page({
  title,
  part,
  description,
  actions,
  fill = false,
  children,
}: {
  title: string;
  /** Name of the shown part, for the page title. */
  part?: string | undefined;
  description?: ReactNode;
  actions?: ReactNode;
  /** The content uses the remaining height of the screen. */
  fill?: boolean;
  children: ReactNode;
}) {
  const productName = use(PageTitleContext);
  const around = use(SurroundingsContext);
  const fullTitle = [part, title, around?.title, productName].filter(Boolean).join(' · ');
  useEffect(() => setPageTitle(fullTitle), [fullTitle]);

  return (
    <div className={fill ? 'page page-fill' : 'page'}>
      {around?.above}
      <div className="page-head">
        <div>
          <h1 id={pageTitleId}>
            {title}
            {part && <span className="visually-hidden">{` · ${part}`}</span>}
          </h1>
          {description && <p className="page-description">{description}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

export function Card({
  title,
  actions,
  children,
}: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="card raised">
      {title && (
        <div className="card-head apart">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}
