import type { ICellRendererComp, ICellRendererParams } from 'ag-grid-community';

/**
 * A cell drawn without React, of which scrolling makes hundreds a second. A row that is on its way shows nothing. `lasts`: what is drawn
 * is the same for all rows, and stays the same element when a row is fetched again: an open menu stands at it.
 */
export function plainCell<Row>(draw: (row: Row) => Node | null, lasts = false) {
  /** What stands in AG Grid's cells, which it keeps while it makes a new renderer for each new data of a row. */
  const standing = new WeakMap<HTMLElement, HTMLElement>();

  return class PlainCell implements ICellRendererComp<Row> {
    #cell = document.createElement('span');

    init(params: ICellRendererParams<Row>): void {
      this.#cell.className = 'grid-plain';
      if (lasts) {
        this.#cell = standing.get(params.eGridCell) ?? this.#cell;
        standing.set(params.eGridCell, this.#cell);
      }
      this.refresh(params);
    }

    getGui(): HTMLElement {
      return this.#cell;
    }

    refresh({ data }: ICellRendererParams<Row>): boolean {
      if (lasts && data !== undefined && this.#cell.hasChildNodes()) return true;
      const drawn = data === undefined ? null : draw(data);
      this.#cell.replaceChildren(...(drawn ? [drawn] : []));
      return true;
    }
  };
}
