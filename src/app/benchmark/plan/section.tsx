import { type ReactNode, useId } from 'react';

export interface SectionProps {
  title: string;
  tools?: ReactNode;
  children: ReactNode;
}

export function Section({ title, tools, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 border-t border-border px-4 pt-3 pb-4">
      <div className="flex min-h-7 items-center gap-2">
        <h3 id={id} className="mr-auto text-13 font-semibold">
          {title}
        </h3>
        {tools}
      </div>
      {children}
    </section>
  );
}
