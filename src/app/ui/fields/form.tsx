import type { ComponentProps } from 'react';

/** A form that is handled on the page, also by Enter in a field. */
export const Form = ({ onSubmit, ...rest }: ComponentProps<'form'> & { onSubmit: () => void }) => (
  <form
    {...rest}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  />
);
