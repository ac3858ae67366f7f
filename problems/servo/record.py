#!/usr/bin/env python3
"""Makes record.csv: the servo with its true parameters follows the waves, integrated by the classical Runge-Kutta method in steps of
20 microseconds, with normal noise of a fixed seed. Shares nothing with mbopt.

    python3 record.py >record.csv
"""
from math import hypot, pi, sin
from random import Random

RESISTANCE, INDUCTANCE, TORQUE_CONSTANT, ROTOR, RATIO = 0.8, 2e-3, 0.05, 2e-5, 50
STIFFNESS, DAMPING, VISCOUS, COULOMB, ARM = 210, 0.8, 2e-5, 8e-3, 0.1  # to be identified
K_ANGLE, K_SPEED, K_INTEGRAL, LIMIT = 8, 6, 40, 24
NOISE_MOTOR, NOISE_CURRENT, NOISE_RATE = 0.05, 0.05, 0.02  # [rad], [A], [rad/s]
STEP, EVERY, SAMPLES = 2e-5, 250, 600


def rates(t, y):
    motor, arm, motor_rate, arm_rate, integral, current = y
    wish = 0.5*sin(2*pi*0.6*t) + 0.12*sin(2*pi*4*t) + 0.05*sin(2*pi*9*t)
    slip = K_ANGLE*(wish - motor/RATIO) - motor_rate/RATIO
    demand = K_SPEED*slip + K_INTEGRAL*integral
    voltage = LIMIT*demand/hypot(LIMIT, demand)
    friction = VISCOUS*motor_rate + COULOMB*motor_rate/hypot(1, motor_rate)
    shaft = STIFFNESS*(motor/RATIO - arm) + DAMPING*(motor_rate/RATIO - arm_rate)
    return (motor_rate, arm_rate, (TORQUE_CONSTANT*current - friction - shaft/RATIO)/ROTOR, shaft/ARM, slip,
            (voltage - RESISTANCE*current - TORQUE_CONSTANT*motor_rate)/INDUCTANCE)


def step(t, y, h):
    def at(k, s):
        return [a + s*b for a, b in zip(y, k)]
    k1 = rates(t, y)
    k2 = rates(t + h/2, at(k1, h/2))
    k3 = rates(t + h/2, at(k2, h/2))
    k4 = rates(t + h, at(k3, h))
    return [a + h/6*(p + 2*q + 2*r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]


def main():
    noise = Random(7)
    y = [0.0]*6
    print("t [s],motor [rad],current [A],arm_rate [rad/s]")
    for i in range(1, SAMPLES*EVERY + 1):
        y = step((i - 1)*STEP, y, STEP)
        if i % EVERY == 0:
            print("%.3f,%.3f,%.3f,%.4f" % (i*STEP, y[0] + noise.gauss(0, NOISE_MOTOR), y[5] + noise.gauss(0, NOISE_CURRENT),
                                           y[3] + noise.gauss(0, NOISE_RATE)))


main()
