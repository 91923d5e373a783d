import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/popups/dialog.tsx';
import { useImport } from './import-file.ts';
import { TransferProgress } from './transfer-progress.tsx';

/** A file that is read within this time shows no progress. */
const SOON_MS = 400;

/** Shows the progress of a slow import, and the failure of one. The rest of the page stays usable. */
export function ImportDialog() {
  const failure = useImport((state) => state.failure);
  const reading = useImport((state) => state.reading);
  const isSlow = useIsSlow(reading?.name ?? null);
  if (failure) {
    return (
      <Dialog onClose={() => useImport.setState({ failure: null })} title={`${failure.name} was not opened`}>
        <div role="alert" className="flex flex-col gap-2 text-13">
          <p className="break-words text-text">{failure.problem}</p>
          <p className="text-text-muted">
            {failure.isPlaced
              ? 'Nothing of it was kept. Voicewire opens its own recordings and HAR files, either also packed by gzip.'
              : 'Nothing of it was kept.'}
          </p>
        </div>
        <div className="mt-4 flex justify-end">
          <Button variant="filled" onClick={() => useImport.setState({ failure: null })}>
            Close
          </Button>
        </div>
      </Dialog>
    );
  }
  if (!reading || !isSlow) return null;
  return (
    <Dialog onClose={reading.cancel} title="Opening a recording" description={reading.name}>
      <div className="flex items-center gap-3">
        <TransferProgress label="Read so far" done={reading.done} onCancel={reading.cancel} />
      </div>
    </Dialog>
  );
}

/** Returns true once `what` has been under way for {@link SOON_MS}. */
function useIsSlow(what: string | null): boolean {
  const [slow, setSlow] = useState<string | null>(null);
  useEffect(() => {
    if (what === null) return;
    const timer = setTimeout(() => setSlow(what), SOON_MS);
    return () => {
      clearTimeout(timer);
      setSlow(null);
    };
  }, [what]);
  return slow !== null && slow === what;
}
