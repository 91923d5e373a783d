import { ImportButton } from '../../../recordings/files/import-button.tsx';
import { openSample } from '../../../recordings/files/import-file.ts';
import { SAMPLES } from '../../../recordings/files/samples.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';
import { selectSpeakName, useSettings } from '../../../stores/settings-store.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/page.tsx';
import { isFiltered, NO_FILTER, useFrames } from '../view/frames-store.ts';

export function EmptyList() {
  const { recording, loaded } = useRecordings((state) => state.shown);
  const hasFilter = useFrames(isFiltered);
  const speakName = useSettings(selectSpeakName);
  const isLoading = recording !== null && recording.entries > 0 && loaded === 0;
  return (
    <Empty className="min-h-0 flex-1">
      {isLoading ? (
        <p role="status">Reading {recording.entries.toLocaleString('en')} frames …</p>
      ) : loaded > 0 && hasFilter ? (
        <>
          <p>None of the {loaded.toLocaleString('en')} frames passes the filter.</p>
          <Button size="small" onClick={() => useFrames.setState(NO_FILTER)}>
            Show all frames
          </Button>
        </>
      ) : (
        <>
          <p className="max-w-100">
            Every frame that is sent and received will be listed here as it passes, with its time, its size
            and what it says. Press {speakName}, or look at a recording:
          </p>
          <div className="flex max-w-140 flex-wrap justify-center gap-2">
            {SAMPLES.map((sample) => (
              <Button
                key={sample.file}
                size="small"
                title={sample.hint}
                onClick={() => void openSample(sample)}
              >
                {sample.title}
              </Button>
            ))}
            <ImportButton />
          </div>
        </>
      )}
    </Empty>
  );
}
