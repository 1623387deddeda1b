/** Whether tests run at their full size, which takes long where the usual one takes minutes: `OFFPRINT_TEST=full`. */
export const isFull = process.env.OFFPRINT_TEST === 'full';
