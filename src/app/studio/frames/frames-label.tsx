import { count, counted } from '#lib/format.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { TabCount } from '../../ui/tabs.tsx';
import { countOfSeverity } from './findings/finding-count.ts';
import { LOOKS } from './findings/severity.ts';

const { icon: Icon, word } = LOOKS.violation;

/** Name of the tab with counts. A component of its own, because they change ten times a second. */
export function FramesLabel() {
  const loaded = useRecordings((state) => state.shown.loaded);
  const violations = useRecordings((state) => countOfSeverity(state.check.groups, 'violation'));
  return (
    <>
      Frames
      {loaded > 0 && <TabCount>{count(loaded)}</TabCount>}
      {violations > 0 && (
        <span className="ml-1.5 inline-flex items-center gap-1 text-12 font-normal text-failed">
          <Icon className="size-3.5" />
          <span aria-hidden className="font-mono">
            {count(violations)}
          </span>
          <span className="sr-only">, {counted(violations, word)}</span>
        </span>
      )}
    </>
  );
}
