import { CircleCheck } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { lineAndColumn } from '#lib/json-text.ts';
import { NoteLine } from '../ui/notice.tsx';
import { JsonBox, type JsonBoxProps } from './json-box.tsx';

export interface CheckedJsonProps extends Omit<JsonBoxProps, 'describedBy'> {
  valid: ReactNode;
  children?: ReactNode;
}

export function CheckedJson({ valid, children, ...box }: CheckedJsonProps) {
  const { text, problems } = box;
  const id = useId();
  return (
    <>
      <JsonBox {...box} describedBy={id} />
      <div id={id} aria-live="polite" className="flex flex-col gap-1">
        {problems.every(({ severity }) => severity !== 'error') && (
          <NoteLine icon={CircleCheck} isMuted>
            {valid}
          </NoteLine>
        )}
        {problems.map(({ span, severity, message }) => (
          <NoteLine key={`${span.from} ${message}`} isMuted={severity !== 'error'}>
            Line {lineAndColumn(text, span.from).line}: {message}
          </NoteLine>
        ))}
        {children}
      </div>
    </>
  );
}
