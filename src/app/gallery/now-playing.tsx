import { ListPlus } from 'lucide-react';
import { endpointOf } from '#protocol/registry.ts';
import { addNoted } from '../present/additions.ts';
import { titleOf } from '../present/playlist.ts';
import { VoicePicture } from '../present/voice-picture.tsx';
import { useSession } from '../session-client/provider.tsx';
import { selectNewest } from '../session-client/session-state.ts';
import { describedSettings, withFields } from '../settings/setting-value.ts';
import { VoiceMark } from '../settings/voices/voice-mark.tsx';
import type { VoiceOption } from '../settings/voices/voice-options.ts';
import { useSampler, type VoiceSampler } from '../settings/voices/voice-sampler.ts';
import { goToMode } from '../stores/mode-store.ts';
import { changeMember, shownMember, useScene } from '../stores/scene-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { ConnectionProblems } from '../studio/composer/connection-problems.tsx';
import { Button } from '../ui/button.tsx';
import { WaitTime } from '../ui/elapsed.tsx';
import { sentenceToSay } from './sentence-sampler.ts';

const PHASES = {
  silent: 'Silent',
  waiting: 'Waiting for its first sound',
  speaking: 'Speaking',
  failed: 'Failed',
};

/** The voice that was pressed last: its sound, its wait, and what to do with it. */
export function NowPlaying({ sampler }: { sampler: VoiceSampler }) {
  const { choice, phase, waits } = useSampler(sampler);
  const firstTextMs = useSession((state) => selectNewest(state)?.firstTextMs ?? null);
  if (!choice) return <ConnectionProblems />;
  const waitMs = waits.get(choice.key) ?? null;
  return (
    <>
      <ConnectionProblems />
      <section
        aria-label="The voice that was pressed"
        data-voice={choice.hue}
        className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-t border-border bg-surface px-4 py-2 wide:flex-nowrap wide:px-6"
      >
        <span className="flex min-w-0 items-center gap-2.5 max-wide:flex-1 wide:w-52">
          <VoiceMark hue={choice.hue} name={choice.name} isDescribed={choice.voice === null} />
          <span className="min-w-0">
            <span className="block truncate text-13 font-medium">{choice.name}</span>
            <span role="status" className="block text-12 text-text-subtle">
              {PHASES[phase]}
            </span>
          </span>
        </span>
        <VoicePicture className="h-14 min-w-0 flex-1 max-wide:order-last max-wide:basis-full" />
        <span className="w-28 text-right">
          <span className="block font-mono text-20 leading-6">
            <WaitTime waitMs={waitMs} sinceMs={phase === 'waiting' ? firstTextMs : null} />
          </span>
          <span className="block text-12 text-text-subtle">to first audible</span>
        </span>
        <span className="flex gap-2 max-wide:basis-full max-wide:*:flex-1">
          <Button icon={ListPlus} onClick={() => addToDemo(choice)}>
            Add to demo
          </Button>
          <Button variant="filled" onClick={() => takeVoice(choice)}>
            Use this voice
          </Button>
        </span>
      </section>
    </>
  );
}

/** Sets the voice of the studio, or of the speaker that is shown there, and goes there. */
function takeVoice(choice: VoiceOption): void {
  const page = useSettings.getState();
  const endpoint = selectEndpoint(page);
  if (endpoint.contexts) {
    const member = shownMember(useScene.getState(), endpoint);
    if (member)
      changeMember(endpoint, member.name, { settings: withFields(member.settings, choice.settings) });
  } else page.setSettings(withFields(selectSettings(page), choice.settings));
  goToMode('studio');
}

function addToDemo(choice: VoiceOption): void {
  const sentence = sentenceToSay();
  const page = useSettings.getState();
  const endpoint = endpointOf(choice.endpoint);
  const settings = describedSettings(selectSettings(page), endpoint.settings);
  const item = endpoint.contexts
    ? {
        text: `Voice: ${sentence}`,
        settings: { ...settings },
        cast: [{ name: 'Voice', position: 0, settings: { ...withFields({}, choice.settings) } }],
      }
    : { text: sentence, settings: { ...withFields(settings, choice.settings) }, cast: [] };
  addNoted({ ...item, title: titleOf(choice.name), endpoint: endpoint.id });
}
