import type { ICellRendererComp, ICellRendererParams } from 'ag-grid-community';

/**
 * A cell drawn without React, of which scrolling makes hundreds a second. A row that is on its way shows nothing. `lasts`: what is drawn
 * is the same for all rows, and stays when a row is fetched again.
 */
export function plainCell<Row>(draw: (row: Row) => Node | null, lasts = false) {
  return class PlainCell implements ICellRendererComp<Row> {
    readonly #cell = document.createElement('span');

    init(params: ICellRendererParams<Row>): void {
      this.#cell.className = 'grid-plain';
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
