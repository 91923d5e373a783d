export { printTable } from '#command/measure/print-table.ts';

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const us = (value: number): string => `${value.toFixed(1)} µs`;
export const times = (value: number): string => `${value.toFixed(2)} ×`;
