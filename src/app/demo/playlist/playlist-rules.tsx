import { MAX_PAUSE_BETWEEN_MS, MAX_TITLE_CHARS, type Playlist } from '../../playlist/playlist.ts';
import { editPlaylist, isShipped } from '../../playlist/playlist-store.ts';
import { EqualLoudnessSwitch } from '../../settings/voices/equal-loudness-switch.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Switch } from '../../ui/switch.tsx';

interface PlaylistRulesProps {
  playlist: Playlist;
  onRefused: (why: string | null) => void;
}

/** How the playlist runs. */
export function PlaylistRules({ playlist, onRefused }: PlaylistRulesProps) {
  const { name, auto, pauseMs, loop } = playlist;
  const change = (next: Partial<Playlist>) => onRefused(editPlaylist((of) => ({ ...of, ...next })));
  return (
    <section aria-label="How it runs" className="flex flex-col gap-2.5 border-b border-border px-3 py-3">
      {!isShipped(playlist) && (
        <TextField
          label="Name of the playlist"
          value={name}
          maxLength={MAX_TITLE_CHARS}
          // An empty name would name nothing in the list.
          onChange={(next) => next !== '' && change({ name: next })}
        />
      )}
      <Segmented
        label="What follows an item"
        fill
        value={auto ? 'auto' : 'key'}
        onChange={(next) => change({ auto: next === 'auto' })}
        options={[
          { value: 'auto', label: 'One after another' },
          { value: 'key', label: 'On Space' },
        ]}
      />
      <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1 text-12 text-text-muted">
        <Switch checked={loop} onChange={(next) => change({ loop: next })}>
          Loop
        </Switch>
        <EqualLoudnessSwitch />
        {auto && (
          <span className="ml-auto inline-flex items-center gap-2">
            Pause
            <NumberField
              label="Pause between items"
              unit="s"
              min={0}
              max={MAX_PAUSE_BETWEEN_MS / 1000}
              step={0.5}
              digits={1}
              value={pauseMs / 1000}
              onChange={(seconds) => {
                if (seconds !== null && seconds >= 0 && seconds * 1000 <= MAX_PAUSE_BETWEEN_MS)
                  change({ pauseMs: Math.round(seconds * 1000) });
              }}
              className="w-20"
            />
          </span>
        )}
      </div>
      {isShipped(playlist) && (
        <p className="text-12 text-text-subtle">Comes with Voicewire. A change makes a copy of your own.</p>
      )}
    </section>
  );
}
