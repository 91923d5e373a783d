import { useId, useMemo, useState } from 'react';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { MAX_NAME_LENGTH } from '#text/script.ts';
import { SettingRows } from '../../settings/setting-rows.tsx';
import { withFields } from '../../settings/setting-value.ts';
import type { VoiceChoices } from '../../settings/voices/use-catalogue.ts';
import { type CastMember, changeMember } from '../../stores/scene-store.ts';
import { Field } from '../../ui/fields/field.tsx';
import { SliderRow } from '../../ui/fields/rows.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Switch } from '../../ui/switch.tsx';
import { keepsContexts } from './keeps-contexts.ts';
import { renameSpeaker } from './rename.ts';

const place = (position: number): string =>
  position === 0 ? 'centre' : `${Math.round(Math.abs(position) * 100)} % ${position < 0 ? 'left' : 'right'}`;

export interface CastProps {
  endpoint: Endpoint;
  voices: VoiceChoices;
}

export function MemberSettings({ endpoint, member, voices }: CastProps & { member: CastMember }) {
  const id = useId();
  const rules = endpoint.contexts;
  const issues = useMemo(() => rules?.checkSettings(member.settings) ?? [], [rules, member.settings]);
  if (!rules) return null;
  const change = (next: Partial<CastMember>) => changeMember(endpoint, member.name, next);
  return (
    <section
      aria-labelledby={id}
      data-voice={member.hue}
      className="mt-2 flex flex-col gap-4 border-t border-border px-4 pt-3"
    >
      <h4 id={id} className="text-12 text-text-subtle">
        Settings of <span className="font-medium text-voice">{member.name}</span>, from the next opening of
        the context
      </h4>
      <NameField endpoint={endpoint} name={member.name} />
      <SettingRows
        settings={rules.settings}
        values={member.settings}
        issues={issues}
        voices={voices}
        spoken={{ speaker: member.name }}
        onChange={(fields) => change({ settings: withFields(member.settings, fields) })}
      />
      <h4 className="-mx-4 border-t border-border px-4 pt-2.5 text-12 text-text-subtle">
        How {member.name} is heard here
      </h4>
      <SliderRow
        title="Volume"
        label={`Volume of ${member.name}`}
        value={member.volume}
        min={0}
        max={1}
        step={0.01}
        words={(volume) => `${Math.round(volume * 100)} %`}
        onChange={(volume) => change({ volume })}
      />
      <SliderRow
        title="Position"
        label={`Position of ${member.name}`}
        value={member.position}
        min={-1}
        max={1}
        step={0.05}
        defaultTick={0}
        words={place}
        onChange={(position) => change({ position })}
      />
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        <Switch checked={member.muted} onChange={(muted) => change({ muted })}>
          Mute
        </Switch>
        <Switch checked={member.solo} onChange={(solo) => change({ solo })}>
          Solo
        </Switch>
        {keepsContexts(endpoint) && (
          <Switch checked={member.keepOpen} onChange={(keepOpen) => change({ keepOpen })}>
            Keep the context open
          </Switch>
        )}
      </div>
      <Segmented
        label={`Colour of ${member.name}`}
        fill
        className="mb-2"
        value={member.hue}
        onChange={(hue) => change({ hue })}
        options={[1, 2, 3, 4, 5, 6].map((hue) => ({
          value: hue,
          label: (
            <span data-voice={hue} className="font-semibold text-voice">
              <span className="sr-only">Colour {hue}: </span>
              {[...member.name][0]?.toUpperCase()}
            </span>
          ),
        }))}
      />
    </section>
  );
}

/** Enter and a blur change the name; Escape restores it. */
function NameField({ endpoint, name }: { endpoint: Endpoint; name: string }) {
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const rename = () => {
    if (typed === null) return;
    const reason = renameSpeaker(endpoint, name, typed);
    setProblem(reason);
    if (reason === null) setTyped(null);
  };
  return (
    <Field
      title="Name"
      value={typed ?? name}
      onChange={(next) => {
        setTyped(next);
        setProblem(null);
      }}
      onBlur={rename}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) rename();
        if (event.key !== 'Escape' || typed === null) return;
        // On the page, the same key cancels speech.
        event.preventDefault();
        setTyped(null);
        setProblem(null);
      }}
      maxLength={MAX_NAME_LENGTH}
      hint="Its lines in the script are renamed along. The context has the same name, so a new one is opened."
      problem={problem}
    />
  );
}
