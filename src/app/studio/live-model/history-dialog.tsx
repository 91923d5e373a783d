import { Trash2 } from 'lucide-react';
import { count } from '#lib/format.ts';
import { MAX_HISTORY_CHARS, MAX_HISTORY_ENTRIES } from '#text/chat/chat-request.ts';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Dialog } from '../../ui/popups/dialog.tsx';
import { heardAnswer } from './asking.ts';
import { clearDialogue, type DialogueEntry, editEntry, removeEntry, useDialogue } from './dialogue.ts';

const ROLES = { user: 'You', assistant: 'Model' } as const;

export function HistoryDialog({ onClose }: { onClose: () => void }) {
  const entries = useDialogue((state) => state.entries);
  return (
    <Dialog
      onClose={onClose}
      title="History"
      description={`Sent with each question. It holds what was heard of each answer: the newest ${MAX_HISTORY_ENTRIES} messages, up to ${count(MAX_HISTORY_CHARS)} characters.`}
      width="max-w-[640px]"
    >
      {entries.length === 0 ? (
        <p className="text-13 text-text-muted">Questions and answers appear here. Ask something first.</p>
      ) : (
        <ol className="flex flex-col gap-3">
          {entries.map((entry, at) => (
            <Entry key={entry.id} entry={entry} number={at + 1} />
          ))}
        </ol>
      )}
      <div className="mt-4 flex justify-end gap-2">
        <Button
          icon={Trash2}
          onClick={clearDialogue}
          disabledReason={entries.length === 0 ? 'The history is empty.' : null}
        >
          Clear
        </Button>
        <Button variant="filled" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

function Entry({ entry, number }: { entry: DialogueEntry; number: number }) {
  const client = useSessionClient();
  const { id, role, request } = entry;
  // An answer that is spoken grows with what is heard.
  const heard = useSession(() => (request === null ? null : heardAnswer(client, request)));
  const content = heard ?? entry.content;
  return (
    <li className="grid grid-cols-[56px_minmax(0,1fr)_auto] items-start gap-2">
      <span className="pt-1.5 text-12 font-medium text-text-muted">{ROLES[role]}</span>
      <textarea
        aria-label={`Message ${number}, ${ROLES[role]}`}
        dir="auto"
        className="field-sizing-content block max-h-40 min-h-8 w-full resize-none rounded-control border border-border-strong bg-field px-2.5 py-1.5 text-13 text-text placeholder:text-text-subtle"
        placeholder={role === 'assistant' ? 'Nothing was heard of this answer.' : 'Not sent'}
        value={content}
        onChange={(event) => editEntry(id, event.target.value)}
      />
      <IconButton label={`Remove message ${number}`} icon={Trash2} onClick={() => removeEntry(id)} />
    </li>
  );
}
