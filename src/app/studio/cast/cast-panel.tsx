import { DoorOpen, Ellipsis, Headphones, Play, Plus, VolumeX } from 'lucide-react';
import { useId, useState } from 'react';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { idOf } from '#protocol/core/settings.ts';
import type { ContextView } from '#session/views.ts';
import { contextIdOf } from '#text/script.ts';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { VoiceMark } from '../../settings/voices/voice-mark.tsx';
import {
  type CastMember,
  castOf,
  castProblem,
  memberVoice,
  newMember,
  speakerProblem,
  useScene,
} from '../../stores/scene-store.ts';
import { selectSettings, useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { useNow } from '../../ui/elapsed.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu } from '../../ui/popups/menu.tsx';
import { useVoiceName } from '../../wording/voice-name.ts';
import { levelOf, useLevel } from '../level/level-meter.tsx';
import { keepsContexts } from './keeps-contexts.ts';
import { type CastProps, MemberSettings } from './member-settings.tsx';
import { SceneSettings } from './scene-settings.tsx';

export function CastPanel({ endpoint, voices }: CastProps) {
  const id = useId();
  const cast = useScene((state) => castOf(state, endpoint));
  const chosen = useScene((state) => state.chosen);
  const client = useSessionClient();
  const settings = useSettings(selectSettings);
  const rules = endpoint.contexts;
  if (!rules) return null;
  const idleMs = rules.idleMs(settings);
  const takesConnections = memberVoice(endpoint)?.place !== undefined;
  const shown = cast.find(({ name }) => name === chosen) ?? null;
  return (
    <section aria-labelledby={id} className="-mx-4 flex flex-col gap-1 border-t border-border pt-2.5">
      <header className="flex items-baseline justify-between px-4">
        <h3 id={id} className="text-12 font-medium text-text-subtle">
          Cast
        </h3>
        <OpenContexts max={takesConnections ? null : rules.max} />
      </header>
      <ul className="flex flex-col px-2">
        {cast.map((member) => (
          <Member key={member.name} endpoint={endpoint} member={member} isChosen={member === shown} />
        ))}
      </ul>
      {takesConnections && (
        <p className="px-4 text-12 text-text-subtle">
          Each voice takes a connection of its own, because its address names the voice.
        </p>
      )}
      {!takesConnections && cast.length > rules.max && (
        <p className="px-4 text-12 text-waiting">
          {cast.length} speakers, and the endpoint opens {rules.max} contexts at a time: one more is refused
          until another is closed{idleMs === null ? '' : ` or has been idle for ${idleMs / 1000} s`}. The
          others go on.
        </p>
      )}
      <div className="flex flex-wrap items-start gap-x-1 px-2">
        <AddSpeaker endpoint={endpoint} cast={cast} voices={voices} />
        {keepsContexts(endpoint) && (
          <Button
            variant="ghost"
            size="small"
            icon={DoorOpen}
            onClick={() => {
              for (const { name } of cast) client.send({ type: 'openContext', context: contextIdOf(name) });
            }}
            disabledReason={cast.length === 0 ? 'There is nobody to open a context for.' : null}
          >
            Open all contexts
          </Button>
        )}
      </div>
      <SceneSettings endpoint={endpoint} />
      {/* Keyed by the place, which stays when the name changes. */}
      {shown && (
        <MemberSettings key={cast.indexOf(shown)} endpoint={endpoint} member={shown} voices={voices} />
      )}
    </section>
  );
}

/** @param max null where each voice has a connection of its own */
function OpenContexts({ max }: { max: number | null }) {
  const live = useSession(
    ({ contexts }) => contexts.filter(({ state }) => state !== 'closed' && state !== 'refused').length,
  );
  return (
    <p className="text-12 text-text-subtle">
      <span className={cx('font-mono', max !== null && live >= max && 'text-waiting')}>{live}</span>
      {max !== null && (
        <>
          {' '}
          of <span className="font-mono">{max}</span>
        </>
      )}{' '}
      contexts open
    </p>
  );
}

interface MemberProps {
  endpoint: Endpoint;
  member: CastMember;
  isChosen: boolean;
}

function Member({ endpoint, member, isChosen }: MemberProps) {
  const client = useSessionClient();
  const set = useScene((state) => state.set);
  const voiceName = useVoiceName(voiceOf(endpoint, member));
  const id = contextIdOf(member.name);
  const bar = useLevel(() => levelOf(client, id));
  const context = useSession(({ contexts }) => contexts.find((known) => known.id === id));
  const isOpen = context?.state === 'open';
  // The server does not have the contexts of a recording.
  const canClose = useSession(({ replay }) => replay === null) && isOpen;
  return (
    <li
      data-voice={member.hue}
      className={cx(
        'relative flex min-h-12 items-center gap-2.5 rounded-control px-2 touch:min-h-14',
        isChosen ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <VoiceMark hue={member.hue} name={member.name} />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <button
            type="button"
            aria-pressed={isChosen}
            onClick={() => set({ chosen: isChosen ? null : member.name })}
            className="cursor-default truncate text-13 font-medium text-voice outline-none after:absolute after:inset-0 after:rounded-control focus-visible:after:outline-2 focus-visible:after:outline-text"
          >
            {member.name}
          </button>
          {member.muted && <VolumeX aria-label="muted" className="size-3 shrink-0 text-text-subtle" />}
          {member.solo && <Headphones aria-label="solo" className="size-3 shrink-0 text-text-subtle" />}
        </span>
        <span className="flex items-baseline justify-between gap-2 text-12 text-text-subtle">
          <span className="truncate">{voiceName}</span>
          <ContextState context={context} isKeptOpen={member.keepOpen} />
        </span>
      </span>
      <span
        ref={bar}
        aria-hidden
        className="pointer-events-none absolute inset-x-2 bottom-0.5 h-0.5 rounded-full bg-voice"
        style={{ clipPath: 'inset(0 100% 0 0)' }}
      />
      <span className="relative z-1 flex">
        <Menu
          align="end"
          trigger={<IconButton size="small" label={`More about ${member.name}`} icon={Ellipsis} />}
          items={[
            {
              id: 'open',
              label: 'Open the context',
              hint: 'Gives it its voice without speaking; it stays open while something happens in it.',
              icon: Play,
              disabled: isOpen || !keepsContexts(endpoint),
              onSelect: () => client.send({ type: 'openContext', context: id }),
            },
            {
              id: 'cancel',
              label: 'Cancel this speaker',
              hint: 'Barge-in on one voice: silence at once, and the others go on.',
              onSelect: () => client.cancel(id),
            },
            {
              id: 'close',
              label: 'Close the context',
              hint: 'Speaks what is queued, then ends and bills it.',
              disabled: !canClose,
              onSelect: () => client.closeContext(id, false),
            },
            {
              id: 'close-now',
              label: 'Close it now',
              hint: 'Drops what is queued and ends it.',
              disabled: !canClose,
              onSelect: () => client.closeContext(id, true),
            },
            {
              id: 'remove',
              label: 'Remove from the cast',
              onSelect: () => {
                const others = castOf(useScene.getState(), endpoint).filter(
                  ({ name }) => name !== member.name,
                );
                set({ cast: others, chosen: null });
              },
            },
          ]}
        />
      </span>
    </li>
  );
}

const STATE_TONES = { opening: 'text-waiting', closing: 'text-waiting', closed: '', refused: 'text-failed' };

function ContextState({ context, isKeptOpen }: { context: ContextView | undefined; isKeptOpen: boolean }) {
  if (!context) return <span className="shrink-0">not open</span>;
  const { state, keepAlives, idleAtMs } = context;
  if (state !== 'open') return <span className={cx('shrink-0', STATE_TONES[state])}>{state}</span>;
  if (!isKeptOpen && idleAtMs !== null) return <Countdown toMs={idleAtMs} />;
  return (
    <span className="shrink-0 text-live">
      {isKeptOpen ? 'kept open' : 'busy'}
      {isKeptOpen && keepAlives > 0 && <span className="font-mono"> · {keepAlives}</span>}
    </span>
  );
}

const NEAR_S = 5;

function Countdown({ toMs }: { toMs: number }) {
  const left = Math.max(0, Math.ceil((toMs - useNow(250)) / 1000));
  return (
    <span className={cx('shrink-0', left <= NEAR_S && 'text-waiting')}>
      idle, closes in <span className="font-mono">{left} s</span>
    </span>
  );
}

const voiceOf = (endpoint: Endpoint, { settings }: CastMember): string | null =>
  idOf(settings[memberVoice(endpoint)?.field ?? '']);

/** Adds a speaker with a voice that nobody has yet. Returns the reason of a refusal; null where they have joined. */
export function addSpeaker(
  endpoint: Endpoint,
  name: string,
  voices: readonly Pick<VoiceInfo, 'id'>[],
): string | null {
  const cast = castOf(useScene.getState(), endpoint);
  const problem = speakerProblem(cast, name);
  if (problem !== null) return problem;
  const taken = cast.map((member) => voiceOf(endpoint, member));
  const voice = voices.find(({ id }) => !taken.includes(id))?.id ?? taken[0] ?? undefined;
  const member = newMember(name, cast.length, endpoint, voice);
  useScene.getState().set({ cast: [...cast, member], chosen: name });
  return null;
}

function AddSpeaker({ endpoint, cast, voices }: CastProps & { cast: readonly CastMember[] }) {
  const [typed, setTyped] = useState<string | null>(null);
  const why = useId();
  if (typed === null) {
    return (
      <Button
        variant="ghost"
        size="small"
        icon={Plus}
        onClick={() => setTyped('')}
        disabledReason={castProblem(cast.length + 1)}
      >
        Add a speaker
      </Button>
    );
  }
  const name = typed.trim();
  const problem = speakerProblem(cast, name);
  const add = () => {
    if (problem !== null) return;
    addSpeaker(endpoint, name, voices.items);
    setTyped(null);
  };
  return (
    <Form className="flex basis-full flex-col gap-1 px-2" onSubmit={add}>
      <div className="flex gap-2">
        <TextField
          label="Name of the speaker"
          value={typed}
          onChange={setTyped}
          placeholder="Name"
          autoFocus
          maxLength={40}
          invalid={name !== '' && problem !== null}
          aria-describedby={why}
        />
        <Button size="small" onClick={add} disabledReason={problem}>
          Add
        </Button>
        <Button variant="ghost" size="small" onClick={() => setTyped(null)}>
          Leave it
        </Button>
      </div>
      <p id={why} className="text-12 text-text-muted">
        {name !== '' && problem ? problem : 'The name before the colon in the script.'}
      </p>
    </Form>
  );
}
