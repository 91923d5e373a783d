import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { cx } from '../../../ui/cx.ts';
import type { FieldMark } from '../findings/field-marks.ts';
import { LOOKS } from '../findings/severity.ts';
import { isPressable, placeIn, type TreePresses, type TreeRow, treeMove, treeRows } from './json-tree.ts';

/** Decoded JSON as a tree. Long texts are cut until unfolded, and marked fields are unfolded. */
export function JsonTreeView({ value, marks }: { value: object; marks: readonly FieldMark[] }) {
  const [presses, setPresses] = useState<TreePresses>(new Map());
  const marked = useMemo(() => markedRows(value, marks), [value, marks]);
  const [wanted, setCurrent] = useState('');
  const tree = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => treeRows(value, presses, [...marked.keys()]), [value, presses, marked]);
  // A row that was folded away cannot keep the focus.
  const current = rows.some(({ id }) => id === wanted) ? wanted : (rows[0]?.id ?? '');

  const press = (row: TreeRow) => {
    if (isPressable(row)) setPresses((before) => new Map(before).set(row.id, (before.get(row.id) ?? 0) + 1));
  };
  const focus = (id: string) => {
    const row = tree.current?.children[rows.findIndex((candidate) => candidate.id === id)];
    if (row instanceof HTMLElement) row.focus();
  };
  const type = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeMove(rows, current, event.key);
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    if ('to' in move) focus(move.to);
    else press(move.press);
  };

  return (
    <div ref={tree} role="tree" aria-label="Frame as JSON" tabIndex={-1} className="-mx-4 font-mono text-12">
      {rows.map((row) => (
        <Row
          key={row.id}
          row={row}
          mark={marked.get(row.id) ?? null}
          isCurrent={row.id === current}
          onFocus={() => setCurrent(row.id)}
          onPress={() => press(row)}
          onKeyDown={type}
        />
      ))}
    </div>
  );
}

interface RowMark extends FieldMark {
  /** False: the mark is on the object that lacks the field. */
  isThere: boolean;
}

/** Returns the marks by row. The mark of a missing field is on the object that lacks it. */
function markedRows(value: object, marks: readonly FieldMark[]): ReadonlyMap<string, RowMark> {
  const rows = new Map<string, RowMark>();
  for (const mark of marks) {
    const { pointer, isThere } = placeIn(value, mark.path);
    if (!rows.has(pointer))
      rows.set(pointer, { ...mark, isThere, note: isThere ? mark.note : `${mark.path}: ${mark.note}` });
  }
  return rows;
}

interface RowProps {
  row: TreeRow;
  mark: RowMark | null;
  isCurrent: boolean;
  onFocus: () => void;
  onPress: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

const INDENT_PX = 16;

function Row({ row, mark, isCurrent, onFocus, onPress, onKeyDown }: RowProps) {
  const { level, name, kind, value, note, isOpen, whole } = row;
  const Fold = isOpen ? ChevronDown : ChevronRight;
  const look = mark && LOOKS[mark.severity];
  return (
    <div
      role="treeitem"
      // One stop in the tab order, at the row where the keyboard was last.
      tabIndex={isCurrent ? 0 : -1}
      aria-level={level}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-expanded={isOpen ?? undefined}
      aria-selected={isCurrent}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={onPress}
      style={{ paddingLeft: 16 + (level - 1) * INDENT_PX }}
      className={cx(
        'cursor-default pr-4 outline-offset-[-2px] touch:py-2.5',
        look ? look.tint : 'hover:bg-hover focus:bg-selected',
      )}
    >
      <div className="flex min-h-6 items-center gap-2">
        <span aria-hidden className="-ml-1 grid size-4 shrink-0 place-items-center text-text-subtle">
          {isOpen !== null && <Fold className="size-3.5" />}
        </span>
        {name !== null && (
          <span className="max-w-[45%] shrink-0 truncate text-text-muted" title={name}>
            <bdi>{name === '' ? '""' : name}</bdi>
          </span>
        )}
        <span
          className={cx(
            'min-w-0 flex-1 truncate',
            // Room for the wave below the line.
            look && 'leading-6',
            kind === 'rest' && 'underline decoration-border-strong underline-offset-4',
            (kind === 'object' || kind === 'list') && 'text-text-subtle',
          )}
        >
          <bdi
            className={cx(
              look && mark?.isThere && `underline decoration-wavy underline-offset-4 ${look.line}`,
            )}
          >
            {value === '' && name === null ? (kind === 'list' ? 'list' : 'object') : value}
          </bdi>
        </span>
        {look ? (
          <span className={cx('max-w-[60%] shrink-0 truncate font-sans', look.text)} title={mark?.note}>
            <span className="sr-only">{look.word}: </span>
            {mark?.note}
          </span>
        ) : (
          note !== '' && <span className="min-w-0 truncate font-sans text-text-subtle">{note}</span>
        )}
        {kind === 'text' && isOpen !== null && (
          <span className="shrink-0 font-sans text-text-muted">{isOpen ? 'show less' : 'show all'}</span>
        )}
      </div>
      {whole !== null && (
        <div className="max-h-60 overflow-y-auto pb-1.5 pl-5 break-all whitespace-pre-wrap">
          <bdi>{whole}</bdi>
        </div>
      )}
    </div>
  );
}
