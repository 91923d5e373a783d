import { ChevronDown, Network } from 'lucide-react';
import { type Impairments, NO_IMPAIRMENTS } from '#session/replay/impairments.ts';
import { Button } from '../../ui/button.tsx';
import { Defined } from '../../ui/defined.tsx';
import { NumberField, type NumberFieldProps } from '../../ui/number-field.tsx';
import { Popover } from '../../ui/popover.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

const MAX_MS = 5000;
const MAX_SEED = 999_999;

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

export interface ImpairmentsPopoverProps {
  impairments: Impairments;
  onChange: (impairments: Impairments) => void;
}

/** Impairs the network of a replay. The seed makes the impairments repeatable. */
export function ImpairmentsPopover({ impairments, onChange }: ImpairmentsPopoverProps) {
  const { delayMs, jitterMs, stallShare, seed } = impairments;
  const change = (part: Partial<Impairments>) => onChange({ ...impairments, ...part });
  return (
    <Popover
      trigger={
        <Button variant="ghost" size="small" icon={Network} className="max-wide:w-11 max-wide:px-0">
          <span className="max-wide:sr-only">Network</span>
          {!isNone(impairments) && (
            <span className="font-mono font-normal max-wide:sr-only">{wordsFor(impairments)}</span>
          )}
          <ChevronDown aria-hidden className="size-3.5 max-wide:hidden" strokeWidth={1.75} />
        </Button>
      }
      label="Network"
      className="flex w-80 flex-col gap-2.5"
    >
      <p className="text-12 text-text-muted">
        Added to the way from the server. A change begins the replay anew.
      </p>
      <Amount
        label="Delay"
        definition={DEFINITIONS.replayDelay}
        value={delayMs}
        max={MAX_MS}
        step={10}
        unit="ms"
        onChange={(next) => change({ delayMs: next })}
      />
      <Amount
        label="Jitter"
        definition={DEFINITIONS.replayJitter}
        value={jitterMs}
        max={MAX_MS}
        step={10}
        unit="ms"
        onChange={(next) => change({ jitterMs: next })}
      />
      <Amount
        label="Stalls by packet loss"
        definition={DEFINITIONS.replayStalls}
        value={Math.round(stallShare * 1000) / 10}
        max={100}
        digits={1}
        unit="%"
        onChange={(next) => change({ stallShare: next / 100 })}
      />
      <Amount
        label="Seed"
        definition={DEFINITIONS.replaySeed}
        value={seed}
        max={MAX_SEED}
        onChange={(next) => change({ seed: next })}
      />
      {!isNone(impairments) && (
        <Button size="small" onClick={() => onChange({ ...NO_IMPAIRMENTS, seed })} className="self-end">
          As it was recorded
        </Button>
      )}
    </Popover>
  );
}

interface AmountProps extends Pick<NumberFieldProps, 'label' | 'step' | 'digits' | 'unit'> {
  definition: string;
  value: number;
  max: number;
  /** Called with a number from 0 to `max`. */
  onChange: (value: number) => void;
}

function Amount({ label, definition, max, digits = 0, onChange, ...field }: AmountProps) {
  return (
    <div className="flex min-h-7 items-center justify-between gap-3 text-13">
      <Defined definition={definition}>{label}</Defined>
      <NumberField
        label={label}
        min={0}
        max={max}
        digits={digits}
        // A number that is being typed may be missing or out of range.
        onChange={(next) => onChange(Math.min(max, Math.max(0, next ?? 0)))}
        className="w-24"
        {...field}
      />
    </div>
  );
}
