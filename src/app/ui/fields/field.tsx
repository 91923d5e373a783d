import { type ReactNode, useId } from 'react';
import { NoteLine } from '../notice.tsx';
import { TitledField } from './rows.tsx';
import { TextField, type TextFieldProps } from './text-field.tsx';

interface FieldProps extends Omit<TextFieldProps, 'label' | 'id' | 'invalid'> {
  title: string;
  /** Beside the title, at the right edge. */
  aside?: ReactNode;
  hint?: ReactNode;
  /** Why the value cannot be used, in place of the hint; null where it can. */
  problem?: string | null;
}

/** A text field below its title, with a note that describes it. */
export function Field({ title, aside, hint, problem = null, ...rest }: FieldProps) {
  const id = useId();
  const about = useId();
  const note = problem === null ? hint : <NoteLine>{problem}</NoteLine>;
  return (
    <TitledField title={title} htmlFor={id} trailing={aside}>
      <TextField
        {...rest}
        id={id}
        label={title}
        invalid={problem !== null}
        aria-describedby={note ? about : undefined}
      />
      <div id={about} aria-live="polite" className="text-12 text-text-muted empty:hidden">
        {note}
      </div>
    </TitledField>
  );
}
