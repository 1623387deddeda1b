/** A number with its noun in English, such as `1 page` and `3 pages`, for nouns whose plural ends in `s`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
