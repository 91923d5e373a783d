import { Plus, Search, Star } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { settingOfKind } from '#protocol/core/settings.ts';
import { SessionProvider } from '../session-client/provider.tsx';
import { EndpointSelect } from '../settings/endpoint-select.tsx';
import { EqualLoudnessSwitch } from '../settings/voices/equal-loudness-switch.tsx';
import { useCatalogueSource, useVoices } from '../settings/voices/use-catalogue.ts';
import { VoiceFilters } from '../settings/voices/voice-filters.tsx';
import { speaksWith, type VoiceOption, voiceOptions } from '../settings/voices/voice-options.ts';
import {
  addDescription,
  selectDescriptions,
  selectFavourites,
  useFavourites,
} from '../stores/favourites-store.ts';
import { shownMember, useScene } from '../stores/scene-store.ts';
import { selectEndpoint, selectSettings, useSettings } from '../stores/settings-store.ts';
import { CannotSend } from '../studio/composer/text-status.tsx';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/fields/form.tsx';
import { TextField } from '../ui/fields/text-field.tsx';
import { Notice } from '../ui/notice.tsx';
import { type GalleryQuery, searchGallery } from './gallery-search.ts';
import { NowPlaying } from './now-playing.tsx';
import { useSampler } from './use-sampler.ts';
import { VoiceGrid } from './voice-grid.tsx';

const DEFAULT_SENTENCE = 'Good morning. I could be the voice of your product. Shall we begin?';
const MAX_SENTENCE_CHARS = 300;
const EVERYTHING: GalleryQuery = { text: '', language: null, sex: null, onlyFavourites: false };

/** All voices of the endpoint as cards. A press lets one say the sentence. */
export function GalleryPage() {
  const endpoint = useSettings(selectEndpoint);
  const choose = useSettings((state) => state.chooseEndpoint);
  const settings = useSettings(selectSettings);
  const inUse = useScene(
    (state) => (endpoint.contexts && shownMember(state, endpoint)?.settings) ?? settings,
  );
  const list = useVoices(endpoint, useCatalogueSource(endpoint));
  const favourites = useFavourites(selectFavourites(endpoint.vendor));
  const descriptions = useFavourites(selectDescriptions(endpoint.vendor));
  const sentence = useFavourites((state) => state.sentence);
  const [query, setQuery] = useState(EVERYTHING);
  const { sampler, obstacle } = useSampler();
  const choices = useMemo(
    () => voiceOptions(endpoint, list.items, descriptions),
    [endpoint, list.items, descriptions],
  );
  const found = useMemo(() => searchGallery(choices, query, favourites), [choices, query, favourites]);
  useEffect(() => {
    void endpoint;
    setQuery(EVERYTHING);
  }, [endpoint]);
  const change = (next: Partial<GalleryQuery>) => setQuery((before) => ({ ...before, ...next }));
  const text = sentence?.trim() ? sentence : DEFAULT_SENTENCE;
  const say = (choice: VoiceOption) => sampler?.say(choice, text, settings);
  const describes = settingOfKind(endpoint.settings, 'description');

  return (
    <div className="flex h-full flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto" onPointerMove={() => sampler?.warm()}>
        <div className="mx-auto flex max-w-[1240px] flex-col gap-5 px-4 pt-5 pb-10 wide:px-6">
          <header className="flex flex-wrap items-center justify-between gap-3">
            <div>
              <h2 className="text-20 font-semibold tracking-[-0.01em]">Voices</h2>
              <p className="text-13 text-text-muted">Every voice says your sentence. Press one to hear it.</p>
            </div>
            <EndpointSelect label="Endpoint" value={endpoint.id} onChange={choose} />
          </header>
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
          <div className="flex flex-wrap items-center gap-2">
            <TextField
              label="Search voices"
              placeholder={describes ? 'Words of a description' : 'Name, number, language or description'}
              icon={Search}
              value={query.text}
              onChange={(next) => change({ text: next })}
              autoComplete="off"
              spellCheck={false}
              className="min-w-56 flex-1"
            />
            <VoiceFilters voices={list.items} query={query} onChange={change} />
            <Button
              variant="ghost"
              icon={Star}
              aria-pressed={query.onlyFavourites}
              onClick={() => change({ onlyFavourites: !query.onlyFavourites })}
            >
              Favourites
            </Button>
            <EqualLoudnessSwitch />
            <span aria-live="polite" className="ml-auto text-12 whitespace-nowrap text-text-subtle">
              {found.length === choices.length
                ? `${choices.length} voices`
                : `${found.length} of ${choices.length} voices`}
            </span>
          </div>
          {obstacle !== null && <CannotSend words={obstacle} />}
          {describes && <OwnDescription vendor={endpoint.vendor} />}
          {list.state === 'failed' && (
            <Notice
              severity="error"
              title="The voices could not be read."
              action={{ label: 'Try again', onPress: list.retry }}
            >
              {list.problem}
            </Notice>
          )}
          {list.state === 'loading' && choices.length === 0 && <Skeleton />}
          {list.state !== 'loading' && found.length === 0 && (
            <p className="py-8 text-center text-14 text-text-muted">
              {query.onlyFavourites && favourites.length === 0
                ? 'No favourites yet. Press the star of a voice, or F.'
                : 'No voice fits all of that.'}
            </p>
          )}
          {/* Another list begins with its first cards again. */}
          <VoiceGrid
            key={endpoint.id}
            choices={found}
            favourites={favourites}
            vendor={endpoint.vendor}
            isInUse={(choice) => speaksWith(choice, inUse)}
            ownDescriptions={descriptions}
            sampler={sampler}
            onSay={say}
          />
        </div>
      </div>
      {sampler && (
        <SessionProvider client={sampler.client}>
          <NowPlaying sampler={sampler} sentence={text} />
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

const PLACEHOLDERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function Skeleton() {
  return (
    <div role="status" className="voice-grid">
      <span className="sr-only">Reading the voices…</span>
      {PLACEHOLDERS.map((key) => (
        <span key={key} aria-hidden className="h-36 rounded-panel bg-hover" />
      ))}
    </div>
  );
}
