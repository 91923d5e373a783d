import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { settingOfKind } from '#protocol/core/settings.ts';
import { SessionProvider } from '../session-client/provider.tsx';
import { EndpointSelect } from '../settings/endpoint-select.tsx';
import { useCatalogueSource, useVoices } from '../settings/voices/use-catalogue.ts';
import { VoiceBrowser } from '../settings/voices/voice-browser.tsx';
import { speaksWith } from '../settings/voices/voice-options.ts';
import { addDescription, useFavourites } from '../stores/favourites-store.ts';
import { shownMember, useScene } from '../stores/scene-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { CannotSend } from '../studio/composer/text-status.tsx';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/fields/form.tsx';
import { TextField } from '../ui/fields/text-field.tsx';
import { Page } from '../ui/page.tsx';
import { NowPlaying } from './now-playing.tsx';
import { DEFAULT_SENTENCE, MAX_SENTENCE_CHARS, useSentenceSampler } from './sentence-sampler.ts';

/** All voices of the endpoint as cards. A press lets one say the sentence. */
export function GalleryPage() {
  const endpoint = useSettings(selectEndpoint);
  const choose = useSettings((state) => state.chooseEndpoint);
  const settings = useSettings(selectSettings);
  const inUse = useScene(
    (state) => (endpoint.contexts && shownMember(state, endpoint)?.settings) ?? settings,
  );
  const voices = useVoices(endpoint, useCatalogueSource(endpoint));
  const sentence = useFavourites((state) => state.sentence);
  const { opened, obstacle } = useSentenceSampler();
  const scroller = useRef<HTMLDivElement>(null);

  return (
    <div className="flex h-full flex-col">
      <Page
        ref={scroller}
        onPointerMove={opened?.warm}
        title="Voices"
        subtitle="Every voice says your sentence. Press one to hear it."
        tools={<EndpointSelect label="Endpoint" value={endpoint.id} onChange={choose} />}
        className="max-w-[1240px]"
      >
        <label className="flex flex-col gap-1.5">
          <span className="text-12 text-text-subtle">Say this with every voice</span>
          <input
            dir="auto"
            value={sentence ?? DEFAULT_SENTENCE}
            placeholder={DEFAULT_SENTENCE}
            maxLength={MAX_SENTENCE_CHARS}
            spellCheck={false}
            onChange={(event) => useFavourites.setState({ sentence: event.target.value })}
            className="h-13 w-full rounded-panel border border-border-strong bg-field px-4 text-16 font-[450] wide:text-20"
          />
        </label>
        {/* Another list begins with an empty search and its first cards. */}
        <VoiceBrowser
          key={endpoint.id}
          voices={voices}
          sampler={opened?.sampler ?? null}
          isInUse={(choice) => speaksWith(choice, inUse)}
          scroller={scroller}
        >
          {obstacle !== null && <CannotSend words={obstacle} />}
          {settingOfKind(endpoint.settings, 'description') && <OwnDescription vendor={endpoint.vendor} />}
        </VoiceBrowser>
      </Page>
      {opened && (
        <SessionProvider client={opened.client}>
          <NowPlaying sampler={opened.sampler} />
        </SessionProvider>
      )}
    </div>
  );
}

function OwnDescription({ vendor }: { vendor: string }) {
  const [text, setText] = useState('');
  const add = () => {
    if (text.trim() === '') return;
    addDescription(vendor, text.trim());
    setText('');
  };
  return (
    <Form aria-label="Describe a voice" onSubmit={add} className="flex gap-2">
      <TextField
        label="Description of a voice"
        placeholder="Describe a voice of your own: a tired robot, slow and kind"
        value={text}
        maxLength={MAX_SENTENCE_CHARS}
        onChange={setText}
        className="flex-1"
      />
      <Button
        icon={Plus}
        onClick={add}
        disabledReason={text.trim() === '' ? 'Describe a voice first.' : null}
      >
        Add
      </Button>
    </Form>
  );
}
