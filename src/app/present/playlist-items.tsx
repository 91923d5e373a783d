import { ArrowDown, ArrowUp, Disc, Ellipsis, Pencil, Play, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { endpointOf } from '#protocol/registry.ts';
import { voiceIn } from '#session/sending/settings-plan.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { VoiceMark } from '../settings/voices/voice-mark.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Form } from '../ui/fields/form.tsx';
import { TextField } from '../ui/fields/text-field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { NoteLine } from '../ui/notice.tsx';
import { Menu } from '../ui/popups/menu.tsx';
import { HUES, voiceHue } from '../ui/voice-hue.ts';
import { useVoiceName } from '../wording/voice-name.ts';
import {
  itemProblem,
  itemProblemWords,
  MAX_TITLE_CHARS,
  type Playlist,
  type PlaylistItem,
  withItemChanged,
  withItemMoved,
  withItemRemoved,
} from './playlist.ts';
import { isRunning } from './playlist-run.ts';
import { editPlaylist } from './playlist-store.ts';
import { type Refuse, usePlaylistRunner, useRunState } from './presenter-state.ts';

interface PlaylistItemsProps {
  playlist: Playlist;
  refuse: Refuse;
}

/** The items in order: reordered by dragging, by a menu, or by Alt and an arrow key. */
export function PlaylistItems({ playlist, refuse }: PlaylistItemsProps) {
  const runner = usePlaylistRunner();
  const run = useRunState((state) => state.run);
  const list = useRef<HTMLOListElement>(null);
  const [stop, setStop] = useState<number | null>(null);
  const [edited, setEdited] = useState<number | null>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const { items } = playlist;
  const edit = (change: (of: Playlist) => Playlist) => refuse(editPlaylist(change));
  const focusItem = (id: number | undefined) =>
    list.current?.querySelector<HTMLElement>(`[data-item="${id}"]`)?.focus();
  const move = (id: number, by: number) => edit((of) => withItemMoved(of, id, by));
  const remove = (id: number) => {
    const at = items.findIndex((item) => item.id === id);
    focusItem((items[at + 1] ?? items[at - 1])?.id);
    edit((of) => withItemRemoved(of, id));
  };
  const press = (event: KeyboardEvent, item: PlaylistItem, at: number) => {
    if (event.target !== event.currentTarget) return;
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0 && event.altKey) move(item.id, by);
    else if (by !== 0) focusItem(items[at + by]?.id);
    else if (event.key === 'F2') setEdited(item.id);
    else if (event.key === 'Delete') remove(item.id);
    else return;
    event.preventDefault();
  };
  // One item is in the tab order.
  const stopAt = items.some(({ id }) => id === stop) ? stop : items[0]?.id;
  return (
    <ol ref={list} aria-label="Items" className="flex flex-col p-1.5">
      {items.map((item, at) => {
        const isCurrent = at === run.at && isRunning(run);
        return (
          <li
            key={item.id}
            draggable={edited !== item.id}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move';
              setDragged(item.id);
            }}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              const from = items.findIndex(({ id }) => id === dragged);
              if (from !== at) edit((of) => withItemMoved(of, dragged, at - from));
            }}
            className={cx(
              'rounded-control',
              dragged === item.id && 'opacity-50',
              at === run.at && 'bg-selected',
            )}
          >
            {edited === item.id ? (
              <ItemForm
                item={item}
                onDone={(change) => {
                  if (change) edit((of) => withItemChanged(of, item.id, change));
                  setEdited(null);
                  // After the render that mounts the item again.
                  setTimeout(() => focusItem(item.id));
                }}
              />
            ) : (
              <div className="flex items-center gap-1 pr-1">
                <button
                  type="button"
                  data-item={item.id}
                  tabIndex={item.id === stopAt ? 0 : -1}
                  aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown F2 Delete"
                  aria-current={isCurrent || undefined}
                  onFocus={() => setStop(item.id)}
                  onKeyDown={(event) => press(event, item, at)}
                  onClick={() => runner.do({ type: 'goTo', at })}
                  className="flex min-h-13 min-w-0 flex-1 cursor-default items-center gap-2.5 rounded-control px-2 text-left outline-offset-[-2px] hover:bg-hover"
                >
                  <span className="w-4 shrink-0 text-right font-mono text-12 text-text-subtle">
                    {isCurrent ? (
                      <Play aria-hidden className="ml-auto size-3 fill-current text-live" />
                    ) : (
                      at + 1
                    )}
                  </span>
                  <ItemWords item={item} />
                </button>
                <Menu
                  trigger={<IconButton size="small" label={`More about ${item.title}`} icon={Ellipsis} />}
                  items={[
                    {
                      id: 'edit',
                      label: 'Edit',
                      icon: Pencil,
                      keys: 'F2',
                      onSelect: () => setEdited(item.id),
                    },
                    {
                      id: 'up',
                      label: 'Move up',
                      icon: ArrowUp,
                      keys: 'Alt ↑',
                      disabled: at === 0,
                      onSelect: () => move(item.id, -1),
                    },
                    {
                      id: 'down',
                      label: 'Move down',
                      icon: ArrowDown,
                      keys: 'Alt ↓',
                      disabled: at === items.length - 1,
                      onSelect: () => move(item.id, 1),
                    },
                    {
                      id: 'remove',
                      label: 'Remove',
                      icon: Trash2,
                      keys: 'Del',
                      onSelect: () => remove(item.id),
                    },
                  ]}
                />
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

const MARKS = 3;

/** The marks of who speaks, with title and names. */
function ItemWords({ item }: { item: PlaylistItem }) {
  const voice = voiceIn(item.settings, endpointOf(item.endpoint).settings);
  const voiceName = useVoiceName(voice);
  const isLost = useRecordings(
    ({ list }) => item.recording !== undefined && list?.every(({ id }) => id !== item.recording),
  );
  const isRecording = item.recording !== undefined;
  const cast = item.cast.map(({ name }, at) => ({ name, hue: (at % HUES) + 1 }));
  return (
    <>
      {isRecording ? (
        <span className="grid size-8 shrink-0 place-items-center">
          <Disc aria-hidden className="size-4 text-text-muted" />
        </span>
      ) : cast.length === 0 ? (
        <VoiceMark hue={voiceHue(voice ?? 0)} name={voiceName} isDescribed={/\s/.test(voice ?? '')} />
      ) : (
        <span className="flex shrink-0 -space-x-4">
          {cast.slice(0, MARKS).map(({ name, hue }) => (
            <span key={name} className="rounded-control bg-surface">
              <VoiceMark hue={hue} name={name} />
            </span>
          ))}
        </span>
      )}
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate text-13 font-medium">
          {item.title}
        </span>
        <span className={cx('block truncate text-12', isLost ? 'text-waiting' : 'text-text-muted')}>
          {isLost
            ? 'A recording that is not in this browser'
            : isRecording
              ? 'Recording'
              : cast.map(({ name }) => name).join(', ') || voiceName}{' '}
          · <span className="font-mono">{item.endpoint}</span>
        </span>
      </span>
    </>
  );
}

function ItemForm({
  item,
  onDone,
}: {
  item: PlaylistItem;
  onDone: (change: Pick<PlaylistItem, 'title' | 'text'> | null) => void;
}) {
  const [title, setTitle] = useState(item.title);
  const [text, setText] = useState(item.text);
  const problem = itemProblem({ ...item, title, text });
  return (
    <Form
      aria-label={`Edit ${item.title}`}
      data-own-key="Escape"
      onSubmit={() => {
        if (!problem) onDone({ title, text });
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onDone(null);
      }}
      className="flex flex-col gap-2 p-2"
    >
      <TextField label="Title" value={title} maxLength={MAX_TITLE_CHARS} onChange={setTitle} autoFocus />
      {item.recording === undefined && (
        <textarea
          aria-label="Text of the item"
          dir="auto"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="field-sizing-content max-h-60 min-h-16 w-full resize-none rounded-control border border-border-strong bg-field px-2.5 py-1.5 text-13"
        />
      )}
      {problem && <NoteLine>{itemProblemWords(problem)}</NoteLine>}
      <span className="flex justify-end gap-2">
        <Button size="small" variant="ghost" onClick={() => onDone(null)}>
          Cancel
        </Button>
        <Button
          size="small"
          onClick={() => onDone({ title, text })}
          disabledReason={problem ? itemProblemWords(problem) : null}
        >
          Save
        </Button>
      </span>
    </Form>
  );
}
