export const BrpsPage = () => null;
