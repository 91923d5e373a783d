/** A JSON text as a tree whose leaves are raw text, so that it may contain what no serialiser writes. */
type JsonTree = { raw: string } | { items: JsonTree[] } | { fields: [key: string, value: JsonTree][] };

function treeOf(value: unknown): JsonTree {
  if (Array.isArray(value)) return { items: value.map(treeOf) };
  if (typeof value !== 'object' || value === null) return { raw: JSON.stringify(value) ?? 'null' };
  return { fields: Object.entries(value).map(([key, field]) => [key, treeOf(field)]) };
}

function jsonOf(tree: JsonTree): string {
  if ('raw' in tree) return tree.raw;
  if ('items' in tree) return `[${tree.items.map(jsonOf).join(',')}]`;
  return `{${tree.fields.map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`).join(',')}}`;
}

/** One change of a tree. `place` counts its nodes from the root, and wraps around. */
export interface JsonEdit {
  place: number;
  how: 'replace' | 'remove' | 'repeat' | 'rename' | 'add' | 'wrap';
  key: string;
  /** Raw JSON text of the new value. */
  raw: string;
}

/** A node and its place in the parent. The root has none. */
interface Slot {
  tree: JsonTree;
  parent: { of: JsonTree; at: number } | null;
}

function slotsOf(tree: JsonTree, parent: Slot['parent'] = null): Slot[] {
  const children = 'fields' in tree ? tree.fields.map(([, value]) => value) : childrenOf(tree);
  return [{ tree, parent }, ...children.flatMap((child, at) => slotsOf(child, { of: tree, at }))];
}

const childrenOf = (tree: JsonTree): readonly JsonTree[] => ('items' in tree ? tree.items : []);

/** Applies edits in order. The value itself stays unchanged. */
export function editedJson(value: unknown, edits: readonly JsonEdit[]): string {
  const box: { items: JsonTree[] } = { items: [treeOf(value)] };
  for (const edit of edits) {
    const [root] = box.items;
    if (!root) break;
    const slots = slotsOf(root, { of: box, at: 0 });
    const slot = slots[edit.place % slots.length];
    if (slot) apply(slot, edit);
  }
  return box.items.map(jsonOf).join(',');
}

function apply({ tree, parent }: Slot, { how, key, raw }: JsonEdit): void {
  const value: JsonTree = { raw };
  if (how === 'add' && 'fields' in tree) tree.fields.push([key, value]);
  else if (how === 'add' && 'items' in tree) tree.items.push(value);
  else if (parent && 'items' in parent.of) {
    const { items } = parent.of;
    if (how === 'remove') items.splice(parent.at, 1);
    else if (how === 'repeat') items.splice(parent.at, 0, value);
    else items[parent.at] = how === 'wrap' ? wrapped(tree, key) : value;
  } else if (parent && 'fields' in parent.of) {
    const { fields } = parent.of;
    const name = fields[parent.at]?.[0] ?? key;
    if (how === 'remove') fields.splice(parent.at, 1);
    else if (how === 'repeat') fields.splice(parent.at, 0, [name, value]);
    else if (how === 'rename') fields[parent.at] = [key, tree];
    else fields[parent.at] = [name, how === 'wrap' ? wrapped(tree, key) : value];
  }
}

const wrapped = (tree: JsonTree, key: string): JsonTree =>
  key.length % 2 === 0 ? { items: [tree] } : { fields: [[key, tree]] };
