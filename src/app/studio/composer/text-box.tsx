import { type KeyboardEvent, useEffect } from 'react';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { selectNewest } from '../../session-client/session-state.ts';
import { obstacleOf } from '../../session-client/target.ts';
import { useKeys } from '../../stores/key-store.ts';
import { selectDraft, useSettings } from '../../stores/settings-store.ts';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useDialogue } from '../live-model/dialogue.ts';
import { speak } from './intents.ts';
import { flushLive, sendRest, typeLive, useLiveBox } from './live-box.ts';
import { PAUSE_MS } from './text-rules.ts';

const LOOK =
  'field-sizing-content block max-h-[70px] min-h-[54px] w-full resize-none overflow-y-auto bg-transparent px-4 py-1 text-14 outline-none wide:max-h-[min(24vh,176px)] wide:min-h-[64px]';

const BOX = { 'aria-label': 'Text', dir: 'auto', spellCheck: false, className: LOOK } as const;

/** Whether Enter ends the text, and is no new line or the end of a provisional text of an input method. */
const isPlainEnter = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' &&
  !event.nativeEvent.isComposing &&
  !event.shiftKey &&
  !event.ctrlKey &&
  !event.metaKey;

/** The question to a live model. */
export function QuestionBox({ className }: { className: string }) {
  const client = useSessionClient();
  const question = useDialogue((state) => state.question);
  return (
    <textarea
      {...BOX}
      className={className}
      value={question}
      placeholder="Ask the model, and hear the answer. Enter asks."
      onChange={(event) => useDialogue.setState({ question: event.target.value })}
      onKeyDown={(event) => {
        if (!isPlainEnter(event)) return;
        event.preventDefault();
        speak(client);
      }}
    />
  );
}

export function TextBox() {
  const source = useSettings((state) => state.source);
  const live = useSettings((state) => state.sendWhileTyping);
  const running = useSession(({ source: { state, model } }) => state === 'running' && model === 'simulated');
  if (source === 'live') return <QuestionBox className={LOOK} />;
  if (source === 'simulated' && running) return <TokenView />;
  return source === 'typed' && live ? <LiveBox /> : <DraftBox />;
}

function DraftBox() {
  const draft = useSettings(selectDraft);
  return (
    <textarea
      {...BOX}
      value={draft}
      placeholder="Write what is to be spoken"
      onChange={(event) => useSettings.setState({ draft: event.target.value })}
    />
  );
}

/** Text box that sends word by word. Sent text moves to the transcript. */
function LiveBox() {
  const client = useSessionClient();
  const text = useLiveBox((state) => state.text);
  const obstacle = useSettings((page) => obstacleOf(page, useKeys.getState()));
  useEffect(() => {
    if (text === '') return;
    const timer = setTimeout(() => sendRest(client), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [client, text]);
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (!isPlainEnter(event)) return;
    event.preventDefault();
    flushLive(client);
  };
  return (
    <textarea
      {...BOX}
      value={text}
      disabled={obstacle !== null}
      placeholder={obstacle ?? 'Type: each word is sent as soon as it is finished. Enter flushes.'}
      onChange={(event) => {
        // An input method inserts provisional text, which is sent once it is final.
        const composing = event.nativeEvent instanceof InputEvent && event.nativeEvent.isComposing;
        if (composing) useLiveBox.setState({ text: event.target.value });
        else typeLive(client, event.target.value);
      }}
      onCompositionEnd={(event) => typeLive(client, event.currentTarget.value)}
      onKeyDown={press}
    />
  );
}

function TokenView() {
  const draft = useSettings(selectDraft);
  const sent = useSession((state) => {
    const newest = selectNewest(state);
    return newest?.origin === 'simulated' ? newest.text : '';
  });
  const at = draft.startsWith(sent) ? sent.length : 0;
  return (
    <ScrollRegion label="Tokens sent" className={`${LOOK} whitespace-pre-wrap`} dir="auto">
      <span className="text-text">{draft.slice(0, at)}</span>
      <span aria-hidden className="mx-px inline-block h-4 w-0.5 translate-y-0.5 bg-waiting-fill" />
      <span className="text-text-subtle">{draft.slice(at)}</span>
    </ScrollRegion>
  );
}
