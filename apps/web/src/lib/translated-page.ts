/**
 * Lets React remove and insert nodes that a translator has moved. Google Translate and similar programs put `<font>` elements in the
 * place of text nodes; React then calls `removeChild` and `insertBefore` with nodes that have another parent, or none, which throws
 * NotFoundError and replaces the screen by an error (https://github.com/facebook/react/issues/11538).
 */
export function tolerateTranslatedNodes(): void {
  // oxlint-disable-next-line typescript/unbound-method -- both are called with the `this` of the replacements
  const { removeChild, insertBefore } = Node.prototype;
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    const own = ownChild(this, child);
    if (own) removeChild.call(this, own);
    return child;
  };
  Node.prototype.insertBefore = function <Inserted extends Node>(
    this: Node,
    inserted: Inserted,
    reference: Node | null,
  ): Inserted {
    insertBefore.call(this, inserted, reference && ownChild(this, reference));
    return inserted;
  };
}

/** Returns the child of `parent` that is the node or contains it; null if `parent` does not contain the node. */
function ownChild(parent: Node, node: Node): Node | null {
  let child: Node | null = node;
  while (child && child.parentNode !== parent) child = child.parentNode;
  return child;
}
