import { Play, Plus } from 'lucide-react';
import { useState } from 'react';
import { counted } from '#lib/format.ts';
import { itemProblem, itemProblemWords } from '../../playlist/playlist.ts';
import { addItems, selectPlaylist, usePlaylists } from '../../playlist/playlist-store.ts';
import { lineItems } from '../../playlist/studio-item.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { usePlaylistRunner } from '../playlist-context.tsx';
import { togglePlaylist } from '../presenter-store.ts';

/** The shortest way to a playlist: each line that is typed becomes an item in the voice of the studio. */
export function OwnLines({ onRefused }: { onRefused: (why: string | null, title?: string) => void }) {
  const runner = usePlaylistRunner();
  const hasItems = usePlaylists((state) => (selectPlaylist(state)?.items.length ?? 0) > 0);
  const [text, setText] = useState('');
  const items = text.trim() === '' ? [] : lineItems(text);
  const add = () => {
    const problem = items.map(itemProblem).find((one) => one !== null);
    const why = problem ? itemProblemWords(problem) : addItems(items);
    onRefused(why, 'The lines were not added');
    if (why === null) setText('');
  };
  return (
    <Form
      aria-label="Lines of your own"
      data-own-key="Enter"
      onSubmit={add}
      className="flex shrink-0 flex-col gap-2 border-t border-border p-3"
    >
      <textarea
        aria-label="Lines of your own"
        dir="auto"
        value={text}
        placeholder="Your own lines. Each line is an item."
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          // The page's own shortcut would speak the text of the studio.
          event.preventDefault();
          event.stopPropagation();
          add();
        }}
        className="field-sizing-content max-h-40 min-h-20 w-full resize-none rounded-control border border-border-strong bg-field px-2.5 py-1.5 text-13"
      />
      <span className="flex justify-end gap-2">
        <Button
          icon={Plus}
          onClick={add}
          disabledReason={items.length === 0 ? 'Write a line first.' : null}
          className="max-wide:flex-1"
        >
          {items.length === 0 ? 'Add lines' : `Add ${counted(items.length, 'line')}`}
        </Button>
        {/* Where the panel covers the presenter. */}
        <Button
          icon={Play}
          variant="filled"
          onClick={() => {
            togglePlaylist();
            runner.advance();
          }}
          disabledReason={hasItems ? null : 'The playlist has no items yet.'}
          className="flex-1 wide:hidden"
        >
          Start
        </Button>
      </span>
    </Form>
  );
}
