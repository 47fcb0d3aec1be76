//! Model texts: the examples of the language's description, and one that uses every statement.

pub const DISK: &str = r#"system "Disk rolling upright on a plane"
parameter m = 1, r = 0.5, g = 9.81, I = m*r^2/4, J = m*r^2/2
coordinate x, y, psi, theta
kinetic m/2*(x'^2 + y'^2) + I/2*psi'^2 + J/2*theta'^2
constraint rolling: [x', y'] = r*theta'*[cos(psi), sin(psi)]
initial psi' = 0.5, theta' = 2
simulate until 10
"#;

pub const CHAIN: &str = r#"system "Pendulum chain, Cartesian"            # redundant coordinates on purpose
const N = 4
parameter m = 1, l = 0.5, g = 9.81
coordinate x[1..N], y[1..N]
kinetic sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))
potential sum(i in 1..N, m*g*y[i])
constraint rod1: x[1]^2 + y[1]^2 = l^2
for i in 2..N { constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = l^2 }
for i in 1..N { initial x[i] = i*l, y[i] ~ 0 }
output tension = multiplier(rod1)
simulate until 5 tolerance 1e-10
"#;

pub const APPELL: &str = r#"system "Appell's particle, non-ideal"          # nonlinear in the velocities
parameter a0 = 0.1, g = 9.81
coordinate x, y, z
kinetic (x'^2 + y'^2 + z'^2)/2
potential g*z
constraint cone: x'^2 + y'^2 = z'^2
let u = sqrt(x'^2 + y'^2 + z'^2)
nonideal work -a0*u*(x'*delta(x) + y'*delta(y) + z'*delta(z))
initial x' = 1, y' = 0.5, z' ~ -1
output drag = nonideal(x)
simulate until 3
"#;

pub const INCLINE: &str = r#"system "Block on a rough incline"
parameter m = 2, g = 9.81, alpha = 0.6, mu = 0.3
coordinate x, y
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint plane: y = x*tan(alpha)
friction on plane: coefficient mu, velocity x'*cos(alpha) + y'*sin(alpha)
initial x = 0, x' = 1.5
"#;

pub const FREE_BODY: &str = r#"system "Free rigid body in body rates"         # Poincare-Chetaev
parameter I1 = 1, I2 = 2, I3 = 3
coordinate e0, e1, e2, e3
speed w1, w2, w3
kinematics e0' = (-e1*w1 - e2*w2 - e3*w3)/2
kinematics e1' = ( e0*w1 - e3*w2 + e2*w3)/2
kinematics e2' = ( e3*w1 + e0*w2 - e1*w3)/2
kinematics e3' = (-e2*w1 + e1*w2 + e0*w3)/2
kinetic (I1*w1^2 + I2*w2^2 + I3*w3^2)/2
initial e0 = 1, w1 = 0.01, w2 = 5, w3 = 0.01
simulate until 20
"#;

pub const SATELLITE: &str = r#"system "Satellite told to fly a circle"        # control: the force is the answer
parameter mu = 1, R = 2, w = 0.9
coordinate x, y, z
kinetic (x'^2 + y'^2 + z'^2)/2
potential -mu/sqrt(x^2 + y^2 + z^2)
require circle: [x, y, z] = R*[cos(w*t), sin(w*t), 0] decay 2, 1
initial x = 2.1, y' = 1
output thrust = norm([control(x), control(y), control(z)])
simulate until 20
"#;

/// Every statement in every form.
pub const EVERYTHING: &str = r#"# A model of nothing in particular.
system "Quotes \" and Greek θ"

const N = 4, M = N + 1   # family sizes
parameter m = 1.2 {kg}, g = 9.81 {m/s^2}, k[1..N] = 1e3 {N/m^(1/2)}, β = 1/3 {1}
for i in 1..N { parameter c[i] = i*0.5 {(kg*m)^2/s} }
coordinate x, y, θ {rad}, q[1..N, 1..2] {m}
speed u {m/s} = x'*cos(θ) + y'*sin(θ), v = y'
speed w[1..3]
kinematics θ' = w[1] - w[2]
kinematics q[1, 2]' = 2^-1*u
let P = [x + sin(θ), -cos(θ)^2],
    V = P'       # velocity
for i in 1..N {
    # inner comment

    for j in 1..2 { let R[i, j] = q[i, j]; let S[i, j] = -q[i, j]' }
    constraint rod[i]: (x - q[i, 1])^2 +  # interior
        y^2 = k[i]^2
    # last words
}
kinetic m/2*dot(P', P') + sum(i in 1..N - 1, q[i, 1]'^2/2)
potential if x > 0 and not (y < 0 or θ == pi) then g*y else if x != 1 then 0 else -(a - b)
lagrangian x'^2/2 - x^2/2
mass [[m, 0],
      [0, m]]
force [1, 2]
force F at P
force [0, -m*g] at [x, y]
force q[1..N, 1] = -c[1]*x'
work F*delta(x) + δy
nonideal work -mu*abs(multiplier(rod[1]))*delta(x)
dissipation c*(x')^2/2
constraint rolling: [x', y'] = r*θ'*[cos(ψ), sin(ψ)]
constraint P.x = 2*P.y
friction on rolling: coefficient mu, velocity x'*cos(α), static 2*mu
require circle: [x, y] = R*[cos(t), sin(t)] decay 2, 1
require x = sin(t)
actuate x, q[1, 1]
weight [[1, 0], [0, 1]]
initial x = 0.3, y ~ -1, θ' = 2, q[1..N, 1] = 0, q[1, 2]' ~ 1
simulate tolerance 1e-9 until 10 method dop853 every 0.01
output tension = reaction(rolling.x), a = x'', b[1] = energy
event hit: y - 1 rising stop
event any: x
complete_integral (a1, a2) = a1*x - a2*t
draw point P; draw line P, [0, 0]; draw circle P, 1/2; draw trace P
body wheel: mass 1, inertia [1, 2,
           3]  # kept
joint hinge: pin wheel to ground
contact floor { kept
  as it is }
"#;

/// All of them.
pub const ALL: [&str; 7] = [DISK, CHAIN, APPELL, INCLINE, FREE_BODY, SATELLITE, EVERYTHING];
