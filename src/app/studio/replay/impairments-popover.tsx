import { ChevronDown, Network } from 'lucide-react';
import { type Impairments, NO_IMPAIRMENTS } from '#session/replay/impairments.ts';
import { Button } from '../../ui/button.tsx';
import { FieldRow } from '../../ui/fields/rows.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Popover } from '../../ui/popups/popover.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

const MS = { scale: 1, max: 5000, step: 10, digits: 0, unit: 'ms' };
const PERCENT = { scale: 100, max: 100, digits: 1, unit: '%' };
const AMOUNTS = [
  { field: 'delayMs', label: 'Delay', definition: DEFINITIONS.replayDelay, ...MS },
  { field: 'jitterMs', label: 'Jitter', definition: DEFINITIONS.replayJitter, ...MS },
  { field: 'stallShare', label: 'Stalls by packet loss', definition: DEFINITIONS.replayStalls, ...PERCENT },
  { field: 'seed', label: 'Seed', definition: DEFINITIONS.replaySeed, scale: 1, max: 999_999, digits: 0 },
] as const;

const isNone = ({ delayMs, jitterMs, stallShare }: Impairments): boolean =>
  delayMs === 0 && jitterMs === 0 && stallShare === 0;

/** Returns the impairments in short, as in `80 ± 20 ms, 1 % stalls`. */
function wordsFor({ delayMs, jitterMs, stallShare }: Impairments): string {
  const parts = [
    delayMs > 0 || jitterMs > 0 ? `${delayMs} ± ${jitterMs} ms` : '',
    stallShare > 0 ? `${Math.round(stallShare * 1000) / 10} % stalls` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

interface ImpairmentsPopoverProps {
  impairments: Impairments;
  onChange: (impairments: Impairments) => void;
}

export function ImpairmentsPopover({ impairments, onChange }: ImpairmentsPopoverProps) {
  const change = (part: Partial<Impairments>) => onChange({ ...impairments, ...part });
  return (
    <Popover
      trigger={
        <Button variant="ghost" size="small" icon={Network} className="max-wide:w-11 max-wide:px-0">
          <span className="max-wide:sr-only">Network</span>
          {!isNone(impairments) && (
            <span className="font-mono font-normal max-wide:sr-only">{wordsFor(impairments)}</span>
          )}
          <ChevronDown className="size-3.5 max-wide:hidden" />
        </Button>
      }
      label="Network"
      className="flex w-80 flex-col gap-2.5"
    >
      <p className="text-12 text-text-muted">
        Added to the way from the server. A change restarts the replay.
      </p>
      {AMOUNTS.map(({ field, label, definition, scale, max, ...look }) => (
        <FieldRow key={field} title={label} definition={definition}>
          <NumberField
            label={label}
            value={Math.round(impairments[field] * scale * 10) / 10}
            min={0}
            max={max}
            // A number that is being typed may be missing or out of range.
            onChange={(next) => change({ [field]: Math.min(max, Math.max(0, next ?? 0)) / scale })}
            className="w-24"
            {...look}
          />
        </FieldRow>
      ))}
      {!isNone(impairments) && (
        <Button
          size="small"
          onClick={() => onChange({ ...NO_IMPAIRMENTS, seed: impairments.seed })}
          className="self-end"
        >
          As it was recorded
        </Button>
      )}
    </Popover>
  );
}
