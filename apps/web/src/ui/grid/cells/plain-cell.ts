import type { ICellRendererComp, ICellRendererParams } from 'ag-grid-community';

/**
 * Creates a cell renderer without React: scrolling creates hundreds of cells per second. A row that is still loading renders nothing.
 * `reusesElement`: the content is the same for all rows and its element survives a refresh, because an open menu is anchored to it.
 */
export function plainCell<Row>(draw: (row: Row) => Node | null, reusesElement = false) {
  /** Elements keyed by AG Grid's cell, which stays when the row's data changes and AG Grid creates a new renderer. */
  const elements = new WeakMap<HTMLElement, HTMLElement>();

  return class PlainCell implements ICellRendererComp<Row> {
    #cell = document.createElement('span');

    init(params: ICellRendererParams<Row>): void {
      this.#cell.className = 'grid-plain';
      if (reusesElement) {
        this.#cell = elements.get(params.eGridCell) ?? this.#cell;
        elements.set(params.eGridCell, this.#cell);
      }
      this.refresh(params);
    }

    getGui(): HTMLElement {
      return this.#cell;
    }

    refresh({ data }: ICellRendererParams<Row>): boolean {
      if (reusesElement && data !== undefined && this.#cell.hasChildNodes()) return true;
      const content = data === undefined ? null : draw(data);
      this.#cell.replaceChildren(...(content ? [content] : []));
      return true;
    }
  };
}
