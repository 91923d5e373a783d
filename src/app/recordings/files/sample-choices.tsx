import { Button } from '../../ui/button.tsx';
import { ImportButton } from './import-button.tsx';
import { openSample } from './import-file.ts';
import { SAMPLES } from './samples.ts';

/** Something to look at where there is nothing yet. */
export function SampleChoices() {
  return (
    <div className="flex max-w-140 flex-wrap justify-center gap-2">
      {SAMPLES.map((sample) => (
        <Button key={sample.file} size="small" title={sample.hint} onClick={() => void openSample(sample)}>
          {sample.title}
        </Button>
      ))}
      <ImportButton />
    </div>
  );
}
